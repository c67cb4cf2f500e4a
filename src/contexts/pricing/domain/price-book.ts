import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type Section, SECTIONS } from '../../../kernel/section-names.js';
import { type PricingEvent } from './events.js';

export const PASS_THROUGH_FEES = ['passthrough.bvn', 'passthrough.nin', 'passthrough.credit_bureau'] as const;

/** A key of the breakdown of a charge. */
export type FeeKey = `svc_fee.${Section}` | (typeof PASS_THROUGH_FEES)[number];

export const FEE_KEYS: readonly FeeKey[] = [...SECTIONS.map((section) => `svc_fee.${section}` as const), ...PASS_THROUGH_FEES];

/** Every fee of a price book, in integer kobo. */
export type Fees = { readonly [Key in FeeKey]: number };

export interface PriceBook {
  readonly version: number;
  /** Integer kobo. A book that was published before a section was added lacks the section's fee. */
  readonly fees_kobo: Readonly<Record<string, number>>;
}

/** The price book lacks a fee. A section without a fee is not free, so neither a lookup nor a publication can go ahead. */
export class FeeMissing extends Error {
  override name = 'FeeMissing';

  constructor(version: number, keys: readonly string[]) {
    super(
      `The price book (version ${version}) has no fee for ${keys.join(', ')}. Publish one that has every fee: rupa prices publish, or PUT /admin/v1/price-book.`,
    );
  }
}

/** Returns the fees of a complete price book. @throws FeeMissing */
export function everyFee({ version, fees_kobo }: PriceBook): Fees {
  const missing = FEE_KEYS.filter((key) => fees_kobo[key] === undefined);
  if (missing.length > 0) throw new FeeMissing(version, missing);
  return fees_kobo as Fees;
}

/** The built-in price book (decisions, "Prices"). A new log begins by publishing it; in others it is in force until one is published. */
export const DEFAULT_PRICE_BOOK: { readonly version: number; readonly fees_kobo: Fees } = {
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

/** The price book in force, and the newest schedule that was fulfilled. */
export interface PriceBookState extends PriceBook {
  readonly schedule_revision?: number | undefined;
  /** Left out as long as none was published. */
  readonly is_published?: true;
}

export interface PublishPriceBook {
  readonly fees_kobo: Fees;
  /** Set if the fees are those of version 1, with which a new log begins. They are published only if none were. */
  readonly begins?: true;
  /** Revision of the schedule that is due. Every API publishes it, and only the first publication counts. */
  readonly schedule_revision?: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export const priceBookDecider: Decider<PriceBookState, PublishPriceBook, PricingEvent> = {
  initialState: DEFAULT_PRICE_BOOK,
  decide: ({ fees_kobo, begins, schedule_revision, at, actor }, book) => {
    if (begins && book.is_published) return [];
    const version = begins ? book.version : book.version + 1;
    const fees = everyFee({ version, fees_kobo });
    const data = { version, fees_kobo, recorded_at: at, actor };
    if (schedule_revision !== undefined) {
      // Also with equal fees: the event is what tells the other APIs that the schedule was fulfilled.
      const isFulfilled = book.schedule_revision !== undefined && schedule_revision <= book.schedule_revision;
      return isFulfilled ? [] : [{ type: 'PriceBookPublished', data: { ...data, schedule_revision } }];
    }
    if (!begins && FEE_KEYS.every((key) => fees[key] === book.fees_kobo[key])) return [];
    return [{ type: 'PriceBookPublished', data }];
  },
  evolve: (book, { data: { version, fees_kobo, schedule_revision = book.schedule_revision } }) => ({
    version,
    fees_kobo,
    schedule_revision,
    is_published: true,
  }),
};

/**
 * Returns the breakdown of a lookup's charge: integer kobo by fee key, which sums to the charge exactly (decisions, "Prices").
 * @throws FeeMissing
 */
export function priceLookup(book: PriceBook, sections: readonly Section[], hasBureauReport: boolean): Record<string, number> {
  const keys = sections.flatMap((section): FeeKey[] => {
    const own = `svc_fee.${section}` as const;
    if (section === 'bvn_nin_data') return [own, 'passthrough.bvn', 'passthrough.nin'];
    if (section === 'credit_history' && hasBureauReport) return [own, 'passthrough.credit_bureau'];
    return [own];
  });
  return Object.fromEntries(
    keys.map((key) => {
      const fee_kobo = book.fees_kobo[key];
      if (fee_kobo === undefined) throw new FeeMissing(book.version, [key]);
      return [key, fee_kobo];
    }),
  );
}

/** The stream id of the only price book. */
export const PRICE_BOOK_ID = 'main';

export const PRICE_BOOK_STREAMS: StreamKind<PriceBookState, PublishPriceBook, PricingEvent> = {
  ...SHORT_STREAM,
  category: 'pricebook',
  decider: priceBookDecider,
};
