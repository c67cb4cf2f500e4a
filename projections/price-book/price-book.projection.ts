import { defineEntity } from '@mikro-orm/core';
import { type PricingEvent } from '../../src/contexts/pricing/domain/events.js';
import { vatPercentOf } from '../../src/kernel/vat.js';
import { projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'price_book',
  tableName: 'price_book',
  properties: {
    version: column.integer().primary(),
    /** Fees in integer kobo by fee key. */
    fees_kobo: column.json<Readonly<Record<string, number>>>(),
    /** Rate of the VAT that the fees contain, in percent. */
    vat_percent: column.percent(),
    published_at: column.time(),
    ...authenticatedColumns,
  },
});

export type PriceBookRow = RowOf<typeof table>;

/** All published versions of the price book. Version 1 is built in; it is among them if the log began with it. */
export const priceBookProjection = projection<WithoutMac<PriceBookRow>, PricingEvent>({
  name: 'price_book',
  version: 3,
  table,
  cached: true,
  handlers: {
    PriceBookPublished: {
      keys: ({ data }) => [{ version: data.version }],
      apply: (_row, { data }) => {
        const { version, fees_kobo, recorded_at } = data;
        return { version, fees_kobo, vat_percent: vatPercentOf(data), published_at: recorded_at };
      },
    },
  },
});
