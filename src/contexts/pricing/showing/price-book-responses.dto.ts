import { Decimal, Integer, ListOf, NairaByFee, Nested, Schema, Shaped, Text, Time } from '../../../http/openapi/properties.js';
import { toNaira } from '../../../kernel/money.js';
import { MAX_VAT_PERCENT } from '../../../kernel/vat.js';
import { DEFAULT_PRICE_BOOK, FEE_KEYS } from '../domain/price-book.js';

const naira = { type: 'number', minimum: 0, description: 'NGN.' };

/** Declares the rate of VAT of a price book. */
export const VatPercent = (description: string): PropertyDecorator => Decimal({ minimum: 0, maximum: MAX_VAT_PERCENT, description });

const RATE = 'Rate of the VAT that the fees of sections contain, in percent; the pass-through fees contain none.';

/** Declares the fees of a price book in NGN, with every fee key. */
export const WholeBook = (): PropertyDecorator => Shaped(Object.fromEntries(FEE_KEYS.map((key) => [key, naira])), FEE_KEYS);

/** Declares the fees of a price book in a body: every fee key and no other. @param maximum the largest fee in NGN */
export const SentBook = (maximum: number): PropertyDecorator =>
  Shaped(Object.fromEntries(FEE_KEYS.map((key) => [key, { ...naira, maximum }])), FEE_KEYS, { additionalProperties: false });

export const FEES_EXAMPLE = Object.fromEntries(Object.entries(DEFAULT_PRICE_BOOK.fees_kobo).map(([key, kobo]) => [key, toNaira(kobo)]));

@Schema('PriceBook', { version: 1, fees: FEES_EXAMPLE, vat_percent: 7.5 })
export class PriceBookView {
  @Integer() readonly version: number;
  @WholeBook() readonly fees: Readonly<Record<string, number>>;
  @VatPercent(RATE) readonly vat_percent: number;
}

const SCHEDULED = {
  effective_at: '2026-04-01T00:00:00.000Z',
  actor: 'admin',
  fees: { ...FEES_EXAMPLE, 'svc_fee.identity': 60 },
  vat_percent: 7.5,
};

/** A price book that is not in force yet. */
@Schema('ScheduledPriceBook', SCHEDULED)
export class ScheduledPriceBookView {
  @Time('Moment from which it is in force.') readonly effective_at: string;
  @Text() readonly actor: string;
  @WholeBook() readonly fees: Readonly<Record<string, number>>;
  @VatPercent(RATE) readonly vat_percent: number;
}

@Schema('PriceBookWithSchedule', { version: 1, fees: FEES_EXAMPLE, vat_percent: 7.5, scheduled: SCHEDULED })
export class PriceBookWithScheduleView extends PriceBookView {
  @Nested(ScheduledPriceBookView, { nullable: true }) readonly scheduled: ScheduledPriceBookView | null;
}

const BUILT_IN = 'Null for the built-in first version in a log that does not begin with it.';

@Schema('PublishedPriceBook')
export class PublishedPriceBookView {
  @Integer() readonly version: number;
  @Time({ description: `When the fees were published or scheduled. ${BUILT_IN}`, nullable: true }) readonly published_at: string | null;
  @Time({ description: `Moment from which the fees are in force. ${BUILT_IN}`, nullable: true }) readonly effective_at: string | null;
  @Text({ description: BUILT_IN, nullable: true }) readonly actor: string | null;
  @NairaByFee() readonly fees: Readonly<Record<string, number>>;
  @VatPercent(RATE) readonly vat_percent: number;
}

@Schema('PriceBookHistory', {
  versions: [
    {
      version: 1,
      published_at: '2026-01-05T08:00:00.000Z',
      effective_at: '2026-01-05T08:00:00.000Z',
      actor: 'service',
      fees: FEES_EXAMPLE,
      vat_percent: 0,
    },
    {
      version: 2,
      published_at: '2026-03-01T08:00:00.000Z',
      effective_at: '2026-04-01T00:00:00.000Z',
      actor: 'admin',
      fees: { ...FEES_EXAMPLE, 'svc_fee.identity': 60 },
      vat_percent: 7.5,
    },
  ],
})
export class PriceBookHistory {
  @ListOf(PublishedPriceBookView) readonly versions: readonly PublishedPriceBookView[];
}
