import { type EntrySum } from '../../src/contexts/accounting/domain/account-totals.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { listOf, rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type LedgerEntryRow } from './ledger-entry.projection.js';

const tables = statementsOn<{ 'read.ledger_entry': LedgerEntryRow }>();

/** Returns the sums of the entries of a mode that are posted alike, by day, up to a day and that day's. */
export async function entrySums(snapshot: Snapshot, mode: Mode, throughDay: string): Promise<EntrySum[]> {
  const rows = await rowsOf(
    snapshot,
    tables
      .selectFrom('read.ledger_entry')
      .select(({ fn }) => ['date', 'kind', 'of_kind', 'account', fn.sum<string>('amount_kobo').as('amount_kobo')])
      .where('mode', '=', mode)
      .where('date', '<=', throughDay)
      .groupBy(['date', 'kind', 'of_kind', 'account']),
  );
  return rows.map(({ date, amount_kobo, ...content }) => ({ date, amount_kobo: BigInt(amount_kobo), ...contentOf(content) }));
}

/** An entry with what decides its postings: `cashMovedBy` says what it moved in the bank account. */
export type PostedEntry = Pick<LedgerEntryRow, 'reference' | 'date' | 'reason' | 'position' | 'recorded_at' | 'amount_kobo'> &
  ReturnType<typeof contentOf>;

/** Returns the entries of a mode, by their days and then in the order of the log. */
export async function postedEntries(snapshot: Snapshot, mode: Mode): Promise<AsyncIterable<PostedEntry>> {
  const rows = await listOf(
    snapshot,
    tables
      .selectFrom('read.ledger_entry')
      .select(['reference', 'date', 'reason', 'position', 'recorded_at', 'amount_kobo', 'kind', 'of_kind', 'account'])
      .where('mode', '=', mode)
      .orderBy('date')
      .orderBy('revision'),
  );
  return withContent(rows);
}

type Content = Pick<LedgerEntryRow, 'kind' | 'of_kind' | 'account'>;

async function* withContent<Row extends Content>(
  rows: AsyncIterable<Row>,
): AsyncGenerator<Omit<Row, keyof Content> & ReturnType<typeof contentOf>> {
  for await (const { kind, of_kind, account, ...row } of rows) yield { ...row, ...contentOf({ kind, of_kind, account }) };
}

/** Returns the fields as in the event, where those without a value are absent. */
function contentOf({ kind, of_kind, account }: Content) {
  return { kind, ...(of_kind !== null && { of_kind }), ...(account !== null && { account }) };
}
