import { createHash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { vatPercentOf } from '../../../kernel/vat.js';
import { type LookupCompensated } from './events.js';

/** The parts of a charge that its compensation must repeat. */
type Charge = Pick<LookupCompensated['data'], 'lookup_id' | 'rupa_id' | 'breakdown_kobo' | 'vat_percent'>;

const FIRST_CAPACITY = 1_024;
const FINGERPRINT_BYTES = 6;

/**
 * The charges of a wallet that were settled, by the revision of their debit. A verifier must know them all when a compensation follows, and
 * a wallet may have millions, so it keeps a number per revision: a fingerprint of the charge, negative once it was compensated, 0 if the
 * revision has no settled charge. The wallet's hash chain, not the fingerprint, protects the entries against manipulation.
 */
export class SettledCharges {
  private fingerprints = new Float64Array(FIRST_CAPACITY);

  settle(debitRevision: number, charge: Charge): void {
    this.grow(debitRevision + 1);
    this.fingerprints[debitRevision] = fingerprint(charge);
  }

  compensate(debitRevision: number): void {
    this.fingerprints[debitRevision] = -Math.abs(this.fingerprints[debitRevision] ?? 0);
  }

  stateOf(debitRevision: number, charge: Charge): 'settled' | 'compensated' | 'unknown' {
    const found = this.fingerprints[debitRevision] ?? 0;
    if (Math.abs(found) !== fingerprint(charge)) return 'unknown';
    return found > 0 ? 'settled' : 'compensated';
  }

  private grow(capacity: number): void {
    if (capacity <= this.fingerprints.length) return;
    const grown = new Float64Array(Math.max(capacity, this.fingerprints.length * 2));
    grown.set(this.fingerprints);
    this.fingerprints = grown;
  }
}

/** Returns an integer above 0 that a double holds exactly. */
function fingerprint({ lookup_id, rupa_id, breakdown_kobo, ...taxed }: Charge): number {
  const digest = createHash('sha256')
    .update(canonicalize([lookup_id, rupa_id, breakdown_kobo, vatPercentOf(taxed)]))
    .digest();
  return digest.readUIntBE(0, FINGERPRINT_BYTES) + 1;
}
