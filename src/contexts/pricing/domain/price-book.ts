import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type Section, SECTIONS } from '../../../kernel/section-names.js';
import { type Approval } from '../../approvals/domain/events.js';
import { recordedVat, vatPercentOf } from '../../../kernel/vat.js';
import { type PricingEvent } from './events.js';

const PASS_THROUGH_FEES = ['passthrough.bvn', 'passthrough.nin', 'passthrough.credit_bureau'] as const;

/** A key of the breakdown of a charge. */
export type FeeKey = `svc_fee.${Section}` | (typeof PASS_THROUGH_FEES)[number];

export const FEE_KEYS: readonly FeeKey[] = [...SECTIONS.map((section) => `svc_fee.${section}` as const), ...PASS_THROUGH_FEES];

/** Every fee of a price book, in integer kobo. */
export type Fees = { readonly [Key in FeeKey]: number };

export interface PriceBook {
  readonly version: number;
  /** Integer kobo. A book that was published before a section was added lacks the section's fee. */
  readonly fees_kobo: Readonly<Record<string, number>>;
  /** Rate of the VAT that the fees of sections contain, in percent (finance, "VAT"). */
  readonly vat_percent: number;
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
export function everyFee({ version, fees_kobo }: Pick<PriceBook, 'version' | 'fees_kobo'>): Fees {
  const missing = FEE_KEYS.filter((key) => fees_kobo[key] === undefined);
  if (missing.length > 0) throw new FeeMissing(version, missing);
  return fees_kobo as Fees;
}

/** The built-in price book (decisions, "Prices"). A new log begins by publishing it; in others it is in force until one is published. */
export const DEFAULT_PRICE_BOOK: PriceBook & { readonly fees_kobo: Fees } = {
  version: 1,
  vat_percent: 0,
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

/** The price book that was published last, and the newest schedule that was fulfilled. */
export interface PriceBookState extends PriceBook {
  readonly schedule_revision?: number | undefined;
  /** The approvals that were executed, each of which publishes once. Left out without any. */
  readonly approval_ids?: readonly string[];
  /** Left out as long as none was published. */
  readonly is_published?: true;
}

/** A schedule whose time has come. */
interface DuePriceBook {
  readonly fees_kobo: Readonly<Record<string, number>>;
  readonly vat_percent: number;
  readonly actor: string;
  readonly schedule_revision: number;
}

export interface PublishPriceBook {
  /**
   * Schedules that are due at the command's time. They are published before anything else, so that each has the version that the log gave
   * it by its time. Every API publishes them, and only the first publication of each counts.
   */
  readonly due?: readonly DuePriceBook[];
  /** Left out if only what is due is published. */
  readonly fees_kobo?: Fees | undefined;
  /** In percent; left out if the rate stays as it is. */
  readonly vat_percent?: number | undefined;
  /** Set if the fees are those of version 1, with which a new log begins. They are published only if none were. */
  readonly begins?: true;
  /** The approval that the publication of `fees_kobo` executes. */
  readonly approval?: Approval | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

interface Published extends PriceBook {
  readonly at: string;
  readonly actor: string;
  readonly schedule_revision?: number;
  readonly approval?: Approval | undefined;
}

function published({ version, fees_kobo, vat_percent, at, actor, schedule_revision, approval }: Published): PricingEvent {
  const data = { version, fees_kobo, ...recordedVat(vat_percent), recorded_at: at, actor, ...approval };
  return { type: 'PriceBookPublished', data: schedule_revision === undefined ? data : { ...data, schedule_revision } };
}

export const priceBookDecider: Decider<PriceBookState, PublishPriceBook, PricingEvent> = {
  initialState: DEFAULT_PRICE_BOOK,
  decide: ({ due = [], fees_kobo, vat_percent, begins, at, actor, approval }, book) => {
    if (begins && book.is_published) return [];
    // A schedule is published also with equal fees, because it has a version from its time on.
    const fulfilling = due
      .filter(({ schedule_revision }) => schedule_revision > (book.schedule_revision ?? -1))
      .map(({ schedule_revision, ...each }, index) => published({ version: book.version + 1 + index, ...each, at, schedule_revision }));
    if (!fees_kobo || (approval && book.approval_ids?.includes(approval.approval_id))) return fulfilling;
    const before = fulfilling.at(-1)?.data ?? book;
    const rate = vat_percent ?? vatPercentOf(before);
    const version = begins ? book.version : before.version + 1;
    const fees = everyFee({ version, fees_kobo });
    const isSame = rate === vatPercentOf(before) && FEE_KEYS.every((key) => fees[key] === before.fees_kobo[key]);
    if (!begins && isSame) return fulfilling;
    return [...fulfilling, published({ version, fees_kobo, vat_percent: rate, at, actor, approval })];
  },
  evolve: (book, { data }) => ({
    ...(book.approval_ids && { approval_ids: book.approval_ids }),
    version: data.version,
    fees_kobo: data.fees_kobo,
    vat_percent: vatPercentOf(data),
    schedule_revision: data.schedule_revision ?? book.schedule_revision,
    is_published: true,
    ...(data.approval_id !== undefined && { approval_ids: [...(book.approval_ids ?? []), data.approval_id] }),
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
