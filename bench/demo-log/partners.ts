import { type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { SECTIONS } from '../../src/kernel/section-names.js';
import { ACCOUNT_TYPES, type AccountType, type Mode } from '../../src/kernel/accounts.js';
import { type WalletState } from '../../src/contexts/wallet/domain/wallet.js';
import { type Draws } from './draws.js';
import { emptyHead, KINDS } from './kinds.js';
import { type Population } from './population.js';
import { type Round } from './round.js';

/** A partner with its wallet. It looks up every `stride`th farmer of its mode, starting with number `first`. */
export interface Caller {
  readonly partner_id: string;
  readonly key_id: string;
  readonly account_type: AccountType;
  readonly mode: Mode;
  readonly first: number;
  readonly stride: number;
  /** How many of these farmers it has looked up. */
  asked: number;
  wallet: Head<WalletState>;
  credits: number;
  unsettled: string[];
  /** The newest loan that it reported, to which a repayment refers. */
  newestLoan: { readonly rupa_id: string; readonly reference: string } | undefined;
}

const ACTOR = 'admin';
const MAX_PARTNERS = 400;
const FIRST_PARTNERS = 6;
const SANDBOX_EVERY = 8;
const MAX_STRIDE = 40;
const KEY_HASH_DIGITS = 64;
/** Share of the history after which all partners are registered. */
const REGISTRATION_SHARE = 0.8;
const NAMES = ['Savannah', 'Harmattan', 'Fadama', 'Niger', 'Kainji', 'Zuma', 'Obudu', 'Jos', 'Benue', 'Mambilla', 'Sokoto', 'Calabar'];
const KINDS_OF_COMPANY: Readonly<Record<AccountType, string>> = { bank: 'Demo Bank', insurer: 'Demo Insurance', agtech: 'Demo Agtech' };

/** Generates partners one by one. The nth partner is about 1/n as active as the first one. */
export class Partners {
  readonly all: Caller[] = [];
  /** Cumulative weights of the partners. */
  private readonly weights: number[] = [];
  private readonly wanted: number;

  constructor(
    private readonly draw: Draws,
    private readonly population: Population,
    events: number,
  ) {
    this.wanted = Math.min(MAX_PARTNERS, Math.max(FIRST_PARTNERS, Math.round(Math.sqrt(events) / 3)));
  }

  /** Returns whether another partner is due after this share of the history. */
  isDue(share: number): boolean {
    return this.all.length < Math.min(this.wanted, FIRST_PARTNERS + ((this.wanted - FIRST_PARTNERS) * share) / REGISTRATION_SHARE);
  }

  pick(): Caller {
    const point = this.draw.next() * (this.weights.at(-1) ?? 0);
    let [low, high] = [0, this.weights.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.weights[middle] ?? 0) > point) high = middle;
      else low = middle + 1;
    }
    const caller = this.all[low];
    if (!caller) throw new Error('A history must begin with the registration of partners.');
    return caller;
  }

  register(round: Round): Caller {
    const { draw } = this;
    const rank = this.all.length;
    const account_type = ACCOUNT_TYPES[rank % ACCOUNT_TYPES.length] ?? 'bank';
    const mode: Mode = rank % SANDBOX_EVERY === SANDBOX_EVERY - 1 ? 'sandbox' : 'live';
    const [partner_id, key_id] = [draw.uuid(), draw.uuid()];
    const company_name = `${draw.pick(NAMES)} ${KINDS_OF_COMPANY[account_type]} ${rank + 1}`;
    this.decidePartner(round, { partner_id, account_type, mode, company_name });
    // The hash is random, so no key matches it. To call the API as this partner, issue another key.
    const issue = {
      kind: 'issue' as const,
      key_id,
      partner_id,
      key_hash: draw.hex(KEY_HASH_DIGITS),
      label: 'demo',
      at: round.now(),
      actor: ACTOR,
    };
    round.decide(KINDS.apiKey, key_id, emptyHead(KINDS.apiKey), issue, { correlationId: draw.uuid() });
    const first = draw.integer(0, Math.max(0, this.population.count(mode) - 1));
    const stride = draw.integer(1, 1 + Math.min(rank, MAX_STRIDE));
    const caller: Caller = {
      partner_id,
      key_id,
      account_type,
      mode,
      first,
      stride,
      asked: 0,
      wallet: emptyHead(KINDS.wallet),
      credits: 0,
      unsettled: [],
      newestLoan: undefined,
    };
    this.all.push(caller);
    this.weights.push((this.weights.at(-1) ?? 0) + 1 / (rank + 1));
    return caller;
  }

  private decidePartner(
    round: Round,
    registered: { partner_id: string; account_type: AccountType; mode: Mode; company_name: string },
  ): void {
    const { draw } = this;
    const { partner_id } = registered;
    const context = { correlationId: draw.uuid(), mode: registered.mode };
    const fields = { partner_id, at: round.now(), actor: ACTOR };
    let head = round.decide(KINDS.partner, partner_id, emptyHead(KINDS.partner), { ...fields, ...registered, kind: 'register' }, context);
    head = round.decide(KINDS.partner, partner_id, head, { ...fields, kind: 'activate' }, context);
    if (draw.chance(0.3))
      head = round.decide(
        KINDS.partner,
        partner_id,
        head,
        { ...fields, kind: 'change-optional-sections', sections: draw.some(SECTIONS.slice(-3), 1, 2) },
        context,
      );
    if (draw.chance(0.1))
      round.decide(KINDS.partner, partner_id, head, { ...fields, kind: 'change-ip-allow-list', cidrs: ['192.0.2.0/24'] }, context);
  }
}
