import { defineEntity } from '@mikro-orm/core';
import { type PricingEvent } from '../../src/contexts/pricing/domain/events.js';
import { projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'price_book',
  tableName: 'price_book',
  properties: {
    version: column.integer().primary(),
    /** Fees in integer kobo by fee key. */
    fees_kobo: column.json<Readonly<Record<string, number>>>(),
    published_at: column.time(),
    ...authenticatedColumns,
  },
});

export type PriceBookRow = RowOf<typeof table>;

/** All published versions of the price book. Version 1 is built in; it is among them if the log began with it. */
export const priceBookProjection = projection<WithoutMac<PriceBookRow>, PricingEvent>({
  name: 'price_book',
  version: 2,
  table,
  cached: true,
  handlers: {
    PriceBookPublished: {
      keys: ({ data }) => [{ version: data.version }],
      apply: (_row, { data: { version, fees_kobo, recorded_at } }) => ({ version, fees_kobo, published_at: recorded_at }),
    },
  },
});
