import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { type Section, SECTIONS } from '../../../kernel/section-names.js';
import { type PricingEvent } from './events.js';

/** Fees in integer kobo under the keys of a bill's breakdown. */
export interface PriceBook {
  readonly version: number;
  readonly fees_kobo: Readonly<Record<string, number>>;
}

export const PASS_THROUGH_FEES = ['passthrough.bvn', 'passthrough.nin', 'passthrough.credit_bureau'] as const;

export const FEE_KEYS: readonly string[] = [...SECTIONS.map((section) => `svc_fee.${section}`), ...PASS_THROUGH_FEES];

/** The book before the first one is published. Decisions, "Prices". */
export const DEFAULT_PRICE_BOOK: PriceBook = {
  version: 1,
  fees_kobo: {
    'svc_fee.identity': 50_00,
    'svc_fee.bvn_nin_data': 50_00,
    'svc_fee.credit_history': 100_00,
    'svc_fee.outstanding_loans': 80_00,
    'svc_fee.transaction_volume': 100_00,
    'svc_fee.farms': 80_00,
    'svc_fee.underwriting_value': 100_00,
    'svc_fee.wallet': 50_00,
    'svc_fee.socioeconomic_profile': 50_00,
    'passthrough.bvn': 60_00,
    'passthrough.nin': 60_00,
    'passthrough.credit_bureau': 500_00,
  },
};

export interface PublishPriceBook {
  readonly fees_kobo: Readonly<Record<string, number>>;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export const priceBookDecider: Decider<PriceBook, PublishPriceBook, PricingEvent> = {
  initialState: DEFAULT_PRICE_BOOK,
  decide: ({ fees_kobo, at, actor }, book) =>
    FEE_KEYS.every((key) => fees_kobo[key] === book.fees_kobo[key])
      ? []
      : [{ type: 'PriceBookPublished', data: { version: book.version + 1, fees_kobo, recorded_at: at, actor } }],
  evolve: (_book, { data: { version, fees_kobo } }) => ({ version, fees_kobo }),
};

/** What a look-up of these sections costs, fee by fee in integer kobo; it sums to the charge exactly. Decisions, "Prices". */
export function priceLookup(book: PriceBook, sections: readonly Section[], hasBureauReport: boolean): Record<string, number> {
  const keys = sections.flatMap((section) => {
    const own = `svc_fee.${section}`;
    if (section === 'bvn_nin_data') return [own, 'passthrough.bvn', 'passthrough.nin'];
    if (section === 'credit_history' && hasBureauReport) return [own, 'passthrough.credit_bureau'];
    return [own];
  });
  return Object.fromEntries(keys.map((key) => [key, book.fees_kobo[key] ?? 0]));
}
