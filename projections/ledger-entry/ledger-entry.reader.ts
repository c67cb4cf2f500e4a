import { type EntrySum } from '../../src/contexts/accounting/domain/account-totals.js';
import { FIRST_DAY, LAST_DAY } from '../../src/contexts/accounting/domain/books-period.js';
import { entryPostings } from '../../src/contexts/accounting/domain/entry-postings.js';
import { entryNarration, type JournalEntry } from '../../src/contexts/accounting/domain/journal-lines.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { listOf, rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { mapped } from '../../src/platform/mapped.js';
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
export type PostedEntry = Pick<
  LedgerEntryRow,
  'reference' | 'of_reference' | 'date' | 'reason' | 'position' | 'recorded_at' | 'amount_kobo'
> &
  ReturnType<typeof contentOf>;

/** Returns the entries of a mode from one day through another, by their days and then in the order of the log. */
export async function postedEntries(
  snapshot: Snapshot,
  mode: Mode,
  [from, to]: readonly [string, string] = [FIRST_DAY, LAST_DAY],
): Promise<AsyncIterable<PostedEntry>> {
  const rows = await listOf(
    snapshot,
    tables
      .selectFrom('read.ledger_entry')
      .select(['reference', 'date', 'reason', 'position', 'recorded_at', 'amount_kobo', 'of_reference', 'kind', 'of_kind', 'account'])
      .where('mode', '=', mode)
      .where('date', '>=', from)
      .where('date', '<=', to)
      .orderBy('date')
      .orderBy('revision'),
  );
  return withContent(rows);
}

/** Returns the entries like {@link postedEntries}, for a journal. */
export async function journaledEntries(
  snapshot: Snapshot,
  mode: Mode,
  period: readonly [string, string],
): Promise<AsyncIterable<JournalEntry>> {
  return mapped(await postedEntries(snapshot, mode, period), (entry) => ({
    date: entry.date,
    position: BigInt(entry.position),
    postings: entryPostings(entry),
    partner: null,
    reference: entry.reference,
    narration: entryNarration(entry),
  }));
}

/** Returns how many entries a mode has, how many of them from one day through another, and the first day of an entry. */
export async function entryCounts(snapshot: Snapshot, mode: Mode, [from, to]: readonly [string, string]) {
  const [row] = await rowsOf(
    snapshot,
    tables
      .selectFrom('read.ledger_entry')
      .select(({ fn }) => [
        fn.countAll<number>().as('posted'),
        fn.countAll<number>().filterWhere('date', '>=', from).filterWhere('date', '<=', to).as('within'),
        fn.min<string | null>('date').as('first_day'),
      ])
      .where('mode', '=', mode),
  );
  return row ?? { posted: 0, within: 0, first_day: null };
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
