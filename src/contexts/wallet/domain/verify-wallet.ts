import { vatPercentOf } from '../../../kernel/vat.js';
import { type AtRevision } from '../../../platform/event-sourcing/decider.js';
import { GENESIS_HASH } from '../../../platform/event-sourcing/stream-kind.js';
import { changeOf } from './balance-change.js';
import { creditKindOf, deductionsOf, type WalletEvent } from './events.js';
import { SettledCharges } from './settled-charges.js';
import { hashOfManual, isManualEvent, manualEntryOf } from './crediting/manual-entries.js';
import {
  type ChainedEntry,
  type ChainHead,
  chainRules,
  type Prices,
  type VerifierState,
  moneyRules,
  nextRevision,
  type Rule,
  type WalletRule,
} from './wallet-rules.js';

export type { ChainedEntry, ChainHead } from './wallet-rules.js';

/** Milliseconds after which an open charge is a fault. The sweep closes charges after one minute (stale-charges.ts), so an older one was missed. */
const MAX_OPEN_MS = 2 * 60_000;
/** Milliseconds by which an open charge may lie ahead of the database's clock. From here on `rupa doctor` calls clocks wrong. */
const MAX_AHEAD_MS = 30_000;

export interface WalletFault {
  /** Revision of the entry that breaks the rule. */
  readonly revision: number;
  readonly rule: WalletRule;
  /** Says what is wrong with the entry, as a sentence for the auditor. */
  readonly message: string;
}

export interface WalletVerification {
  readonly ok: boolean;
  /** Number of entries that passed every rule: all of them, or those before the fault. */
  readonly entries: number;
  /** The last entry that passed every rule. An auditor notes it for the next verification. */
  readonly head: ChainHead | null;
  readonly open_charges: number;
  /** Revisions of the events that cannot be used and that an operator skipped; no entry builds upon them. */
  readonly skipped: readonly number[];
  readonly fault: WalletFault | null;
}

/**
 * Checks the entries of a wallet against every rule, from the first entry on, and stops at the first fault. Its memory grows with the
 * number of open charges and of credits, and by eight bytes per entry.
 */
export class WalletVerifier {
  private readonly state: VerifierState;
  private readonly skipped: number[] = [];
  private fault: WalletFault | undefined;

  constructor(stream: string, prices: Prices, since?: ChainHead) {
    this.state = {
      stream,
      since,
      prices,
      head: null,
      balance_kobo: 0,
      recorded_at: '',
      open: new Map(),
      manual_hash: hashOfManual([]),
      references: new Set(),
      credits: new Map(),
      settled: new SettledCharges(),
    };
  }

  /**
   * Returns whether the entry passes every rule. Returns false for all entries after a fault.
   * @param unusable why the service cannot use the entry, if it cannot
   */
  add(entry: ChainedEntry, unusable?: string): boolean {
    const event = entry as unknown as AtRevision<WalletEvent> & Pick<ChainedEntry, 'createdMs'>;
    this.fault ??= this.firstFault(chainRules, entry);
    if (unusable !== undefined) this.fault ??= this.faultAtNext('shape', `It cannot be used, because ${unusable}.`);
    this.fault ??= this.firstFault(moneyRules, event);
    if (this.fault) return false;
    this.accept(event, entry.metadata?.hash ?? '');
    return true;
  }

  /** Passes over an event that an operator skipped. It takes a revision, and the chain goes on from the entry before it. */
  skip(revision: bigint): boolean {
    const { state } = this;
    if (this.fault) return false;
    if (revision !== BigInt(nextRevision(state.head))) {
      this.fault = this.faultAtNext('revision', `Revision ${nextRevision(state.head)} is missing: revision ${revision} was found instead.`);
      return false;
    }
    state.head = { revision: Number(revision), hash: state.head?.hash ?? GENESIS_HASH };
    this.skipped.push(Number(revision));
    return true;
  }

  /**
   * Returns the result; to be called after the last entry was added.
   * @param now ISO 8601, UTC; the database's time, because the clocks of the processes that wrote the entries may be wrong
   */
  result(now: string): WalletVerification {
    const { head, open } = this.state;
    const fault = this.fault ?? this.truncationFault() ?? this.staleChargeFault(now) ?? null;
    const { skipped } = this;
    return { ok: fault === null, entries: nextRevision(head) - skipped.length, head, open_charges: open.size, skipped, fault };
  }

  private firstFault<Entry>(rules: readonly Rule<Entry>[], entry: Entry): WalletFault | undefined {
    for (const [rule, faultOf] of rules) {
      const message = faultOf(entry, this.state);
      if (message !== undefined) return this.faultAtNext(rule, message);
    }
    return undefined;
  }

  private faultAtNext(rule: WalletRule, message: string): WalletFault {
    return { revision: nextRevision(this.state.head), rule, message };
  }

  private accept(event: AtRevision<WalletEvent>, hash: string): void {
    const { state } = this;
    const revision = Number(event.revision);
    state.head = { revision, hash };
    state.balance_kobo += changeOf(event);
    state.recorded_at = event.data.recorded_at;
    if (isManualEvent(event)) state.manual_hash = hashOfManual([manualEntryOf(event)], state.manual_hash);
    switch (event.type) {
      case 'WalletCredited': {
        const { reference, amount_kobo } = event.data;
        state.references.add(reference);
        state.credits.set(reference, {
          kind: creditKindOf(event.data),
          amount_kobo,
          deductions: deductionsOf(event.data),
          reversed_kobo: 0,
        });
        break;
      }
      case 'CreditReversed': {
        const credit = state.credits.get(event.data.credit_reference);
        state.references.add(event.data.reference);
        if (credit) credit.reversed_kobo += event.data.amount_kobo;
        break;
      }
      case 'WalletPaidOut':
        state.references.add(event.data.reference);
        break;
      case 'WalletDebited': {
        const { lookup_id, recorded_at, rupa_id, amount_kobo, breakdown_kobo } = event.data;
        const vat_percent = vatPercentOf(event.data);
        state.open.set(lookup_id, { revision, debited_at: recorded_at, rupa_id, amount_kobo, breakdown_kobo, vat_percent });
        break;
      }
      case 'ChargesSettled':
        for (const { lookup_id } of event.data.charges) {
          const charge = state.open.get(lookup_id);
          if (charge) state.settled.settle(charge.revision, { lookup_id, ...charge });
          state.open.delete(lookup_id);
        }
        break;
      case 'LookupCompensated':
        state.settled.compensate(event.data.debit_revision);
        break;
      case 'RefundIssued':
        state.open.delete(event.data.lookup_id);
        break;
      case 'ConsentGranted':
    }
  }

  private truncationFault(): WalletFault | undefined {
    const { since, head } = this.state;
    if (!since || since.revision < nextRevision(head)) return undefined;
    const end = head ? `ends at revision ${head.revision}` : 'is empty';
    return { revision: since.revision, rule: 'since', message: `The entry noted earlier is missing: the wallet ${end}.` };
  }

  /** Entries are never older than those before them, so the first open charge is the oldest and the last one is the newest. */
  private staleChargeFault(now: string): WalletFault | undefined {
    const charges = [...this.state.open];
    const ageMs = ({ debited_at }: { readonly debited_at: string }): number => Date.parse(now) - Date.parse(debited_at);
    const [oldest, newest] = [charges[0], charges.at(-1)];
    if (oldest && ageMs(oldest[1]) > MAX_OPEN_MS) {
      const [lookupId, { revision, debited_at }] = oldest;
      const message = `The lookup ${lookupId} was charged at ${debited_at} and is still neither settled nor refunded.`;
      return { revision, rule: 'open_too_long', message };
    }
    if (!newest || ageMs(newest[1]) >= -MAX_AHEAD_MS) return undefined;
    const [lookupId, { revision, debited_at }] = newest;
    const message = `The lookup ${lookupId} is neither settled nor refunded, and its charge is dated ${debited_at}, but it is ${now}: the clock of a process is or was ahead, so the entry does not tell for how long the charge has been open. Verify again in two minutes.`;
    return { revision, rule: 'open_ahead', message };
  }
}

/** Regular expression of REVISION:HASH. */
export const CHAIN_HEAD_PATTERN = String.raw`^(\d{1,15}):([0-9A-Fa-f]{64})$`;
const CHAIN_HEAD = new RegExp(CHAIN_HEAD_PATTERN);

/** Parses REVISION:HASH, the form in which an auditor notes a head; returns undefined if the text has another form. */
export function parseChainHead(text: string): ChainHead | undefined {
  const [, revision, hash] = CHAIN_HEAD.exec(text.trim()) ?? [];
  return revision === undefined || hash === undefined ? undefined : { revision: Number(revision), hash: hash.toLowerCase() };
}
