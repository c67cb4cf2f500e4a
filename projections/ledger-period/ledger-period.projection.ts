import { defineEntity } from '@mikro-orm/core';
import { type ClosedAccount, type Issuer, type LedgerEvent } from '../../src/contexts/accounting/domain/events.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'ledger_period',
  tableName: 'ledger_period',
  properties: {
    mode: column.text<Mode>().primary(),
    /** Month in UTC, such as 2026-03. */
    period: column.text().primary(),
    /** Position of the event. What the log has after it was not read for the month. */
    position: column.position(),
    accounts: column.json<readonly ClosedAccount[]>(),
    entries: column.integer(),
    /** Index of the last event of the log that was read. */
    index: column.integer().nullable(),
    issuer: column.json<Issuer>(),
    prefix: column.text(),
    recorded_at: column.time(),
    actor: column.text(),
  },
});

export type LedgerPeriodRow = RowOf<typeof table>;

/** The months of the books that were closed. A month is closed once. */
export const ledgerPeriodProjection = projection<LedgerPeriodRow, LedgerEvent>({
  name: 'ledger_period',
  version: 1,
  table,
  comparedHourly: true,
  handlers: {
    PeriodClosed: {
      keys: ({ data: { mode, period } }) => [{ mode, period }],
      apply: (row, { data, position }) => row ?? { ...data, position: position.toString() },
    },
    LedgerEntryPosted: ignored,
  },
});
