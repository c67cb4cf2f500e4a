import { defineEntity } from '@mikro-orm/core';
import { type EntryKind, type LedgerEvent, type ReversibleKind } from '../../src/contexts/accounting/domain/events.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'ledger_entry',
  tableName: 'ledger_entry',
  properties: {
    mode: column.text<Mode>().primary(),
    /** Revision of the event in the stream of the mode. Every event has a row, so that the books have what the log has. */
    revision: column.integer().primary(),
    position: column.position(),
    recorded_at: column.time(),
    amount_kobo: column.kobo(),
    /** Day in UTC, such as 2026-03-01, from whose first moment the entry counts. */
    date: column.text(),
    kind: column.text<EntryKind>(),
    /** The provider of a settlement, or the account of an opening balance; in a reversal that of the entry that it undoes. */
    account: column.text().nullable(),
    reference: column.text(),
    /** Reference and kind of the entry that a reversal undoes. */
    of_reference: column.text().nullable(),
    of_kind: column.text<ReversibleKind>().nullable(),
    reason: column.text(),
    actor: column.text(),
  },
});

export type LedgerEntryRow = RowOf<typeof table>;

/** The entries for what happens outside of wallets, which the trial balance adds to the totals of the wallets. There are few of them. */
export const ledgerEntryProjection = projection<LedgerEntryRow, LedgerEvent>({
  name: 'ledger_entry',
  version: 1,
  table,
  comparedHourly: true,
  handlers: {
    LedgerEntryPosted: {
      creates: true,
      keys: ({ data: { mode }, revision }) => [{ mode, revision: Number(revision) }],
      apply: (_row, { data: { of: of_reference = null, of_kind = null, account = null, ...data }, revision, position }) => ({
        mode: data.mode,
        revision: Number(revision),
        position: position.toString(),
        recorded_at: data.recorded_at,
        amount_kobo: data.amount_kobo,
        date: data.date,
        kind: data.kind,
        account,
        reference: data.reference,
        of_reference,
        of_kind,
        reason: data.reason,
        actor: data.actor,
      }),
    },
    PeriodClosed: ignored,
  },
});
