import { type Section } from '../../src/kernel/section-names.js';
import { MANDATORY_SECTIONS } from '../../src/contexts/partners/domain/partner.js';
import { everyFee, FEE_KEYS, type Fees, priceLookup } from '../../src/contexts/pricing/domain/price-book.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';
import { type Draws } from './draws.js';
import { emptyHead, KINDS } from './kinds.js';
import { type Caller } from './partners.js';
import { type Population } from './population.js';
import { type Round } from './round.js';
import { hashOfManual } from '../../src/contexts/wallet/domain/crediting/manual-entries.js';

const SOURCES = ['loan', 'renewal', 'onboarding', 'review', 'api'];
const PRICE_BOOK_ID = 'main';
/** Number of lookups that a top-up lasts for. */
const LOOKUPS_PER_CREDIT = { min: 40, max: 400 };
const CREDIT_STEP_KOBO = 10_000_00;
const REPEAT_ATTEMPTS = 4;

type Fate = 'kept' | 'released' | 'refunded';
/** A command to a wallet without the fields that all commands share. */
type CommandFields = WalletCommand extends infer C ? (C extends WalletCommand ? Omit<C, 'partner_id' | 'at' | 'actor'> : never) : never;

interface GrantedConsent {
  readonly caller: Caller;
  readonly rupa_id: string;
  readonly granted_revision: number;
}

/** Generates lookups with their effects on wallets and consents. */
export class Lookups {
  /** Consents of this round that will be released. */
  private granted: GrantedConsent[] = [];
  /** Consents of the previous round, which are released at the beginning of the next round. */
  private grantedBefore: readonly GrantedConsent[] = [];
  private book = emptyHead(KINDS.priceBook);

  constructor(
    private readonly draw: Draws,
    private readonly population: Population,
  ) {}

  /** Looks up a farmer that the partner has never looked up before, or a known one again. */
  lookUp(round: Round, caller: Caller): void {
    const next = caller.first + caller.stride * caller.asked;
    if (next < this.population.count(caller.mode) && this.draw.chance(0.55)) {
      const fate = fateOf(caller.asked);
      caller.asked += 1;
      if (!this.isErased(caller, next)) this.charge(round, caller, next, true, fate);
      return;
    }
    for (let attempt = 0; attempt < REPEAT_ATTEMPTS && caller.asked > 0; attempt += 1) {
      const again = this.draw.integer(0, caller.asked - 1);
      const farmer = caller.first + caller.stride * again;
      if (fateOf(again) !== 'kept' || this.isErased(caller, farmer)) continue;
      this.charge(round, caller, farmer, false, this.draw.chance(0.01) ? 'refunded' : 'kept');
      return;
    }
  }

  /** Releases the chosen consents of the round before the previous one. Called at the beginning of a round. */
  release(round: Round): void {
    for (const { caller, rupa_id, granted_revision } of this.grantedBefore) {
      const { partner_id, key_id, mode } = caller;
      const command = { partner_id, rupa_id, granted_revision, at: round.now(), actor: `key:${key_id}` };
      round.decide(KINDS.consent, `${partner_id}-${rupa_id}`, emptyHead(KINDS.consent), command, { correlationId: this.draw.uuid(), mode });
    }
    [this.grantedBefore, this.granted] = [this.granted, []];
  }

  settle(round: Round, caller: Caller): void {
    if (caller.unsettled.length === 0) return;
    this.execute(round, caller, { kind: 'settle', lookup_ids: caller.unsettled }, 'service');
    caller.unsettled = [];
  }

  /** Raises some of the fees by a tenth. */
  raiseFees(round: Round): void {
    const fees_kobo = everyFee(this.book.state);
    const raised = Object.fromEntries(FEE_KEYS.map((key) => [key, Math.round(fees_kobo[key] * (this.draw.chance(0.5) ? 1.1 : 1))])) as Fees;
    const command = {
      fees_kobo: { ...raised, 'svc_fee.identity': fees_kobo['svc_fee.identity'] + 5_00 },
      at: round.now(),
      actor: 'admin',
    };
    this.book = round.decide(KINDS.priceBook, PRICE_BOOK_ID, this.book, command, { correlationId: this.draw.uuid() });
  }

  private isErased({ mode }: Caller, farmer: number): boolean {
    return this.population.isErased(this.population.rupaId(mode, farmer));
  }

  private charge(round: Round, caller: Caller, farmer: number, grants_consent: boolean, fate: Fate): void {
    const { draw } = this;
    if (draw.chance(0.6)) this.settle(round, caller);
    const { key_id, account_type, mode } = caller;
    const book = this.book.state;
    const breakdown_kobo = priceLookup(book, this.sections(MANDATORY_SECTIONS[account_type]), draw.chance(0.2));
    this.topUp(
      round,
      caller,
      Object.values(breakdown_kobo).reduce((sum, fee) => sum + fee, 0),
    );
    const [lookup_id, rupa_id] = [draw.uuid(), this.population.rupaId(mode, farmer)];
    const granted_revision = Number(caller.wallet.revision + 1n);
    const { version: price_book_version, vat_percent } = book;
    this.execute(
      round,
      caller,
      {
        kind: 'charge',
        lookups: [{ lookup_id, rupa_id, breakdown_kobo, grants_consent }],
        source: draw.pick(SOURCES),
        price_book_version,
        vat_percent,
        key_id,
      },
      `key:${key_id}`,
      lookup_id,
    );
    if (fate === 'refunded')
      this.execute(round, caller, { kind: 'refund', lookup_ids: [lookup_id], reason: 'the response could not be sent' }, 'service');
    else caller.unsettled.push(lookup_id);
    if (fate === 'released') this.granted.push({ caller, rupa_id, granted_revision });
  }

  private topUp(round: Round, caller: Caller, price_kobo: number): void {
    if (caller.wallet.state.balance_kobo >= price_kobo) return;
    const wanted = price_kobo * this.draw.integer(LOOKUPS_PER_CREDIT.min, LOOKUPS_PER_CREDIT.max);
    const amount_kobo = Math.ceil(wanted / CREDIT_STEP_KOBO) * CREDIT_STEP_KOBO;
    caller.credits += 1;
    this.execute(
      round,
      caller,
      {
        kind: 'credit',
        amount_kobo,
        reference: `transfer-${caller.credits}`,
        checked_to_revision: caller.wallet.revision,
        manual_entries_hash: hashOfManual([]),
      },
      'admin',
    );
  }

  private sections(allowed: readonly Section[]): readonly Section[] {
    return this.draw.chance(0.7) ? allowed : this.draw.some(allowed, 1, allowed.length);
  }

  private execute(round: Round, caller: Caller, fields: CommandFields, actor: string, correlationId = this.draw.uuid()): void {
    const command = { ...fields, partner_id: caller.partner_id, at: round.now(), actor };
    caller.wallet = round.decide(KINDS.wallet, caller.partner_id, caller.wallet, command, { correlationId, mode: caller.mode });
  }
}

/** Returns what happens to a partner's nth consent. The partner looks up a farmer again only while it keeps the consent. */
function fateOf(n: number): Fate {
  if (n % 23 === 7) return 'released';
  return n % 61 === 19 ? 'refunded' : 'kept';
}
