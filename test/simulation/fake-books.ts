import { type LedgerEntryPosted } from '../../src/contexts/accounting/domain/events.js';
import { postings } from '../../src/contexts/accounting/domain/postings.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type FakeReadModels } from './fake-read-models.js';

type Values = readonly unknown[];
type Entry = LedgerEntryPosted['data'];

/** The statements by which the books are read, each told by a part of its own. All books are of one mode. */
const STATEMENTS: readonly (readonly [part: string, rows: (books: FakeBooks, values: Values) => readonly object[]])[] = [
  ['isolation level repeatable read', (books) => books.begin()],
  ['rollback; close all', () => []],
  ["'read.ledger_day'::regclass", () => [{ oid: '1' }]],
  ['sum("l"."debit_kobo")', (books, [, after, through]) => books.days.filter(({ day }) => day > String(after) && day <= String(through))],
  ['select "l"."day" from', (books) => books.days.toSorted((one, other) => (one.day < other.day ? -1 : 1)).slice(0, 1)],
  [
    'sum("amount_kobo") as "amount_kobo" from "read"."ledger_entry"',
    (books, [, through]) =>
      books.entries.filter(({ date }) => date <= String(through)).map((entry) => ({ of_kind: null, account: null, ...entry })),
  ],
  ['as "posted"', ({ entries }, [from, to]) => [entryCounts(entries, String(from), String(to))]],
  ['from "read"."open_charge" as "o"', (books, [, until]) => [{ count: books.openSince.filter((at) => at < String(until)).length }]],
  [
    'select count(*) as entries from read.wallet_entry',
    (books, [, from, until]) => [{ entries: books.moved.filter((at) => at >= String(from) && at < String(until)).length }],
  ],
  ['select min(coalesce(position, -1)) as position from ops.checkpoint', (books) => [{ position: books.position.toString() }]],
];

/** A connection that reads the books in one snapshot of the read models. Any other statement is a fault of the history. */
export class FakeBooks {
  /** The rows of `ledger_day`, one for each posting. */
  days: readonly { readonly day: string; readonly account: string; readonly debit_kobo: number; readonly credit_kobo: number }[] = [];
  /** The rows of `ledger_entry`. */
  entries: readonly Entry[] = [];
  /** When each open charge was debited. */
  openSince: readonly string[] = [];
  /** When each row of `wallet_entry` that moves money was recorded. */
  moved: readonly string[] = [];
  /** The position up to which every read model of the books shows the log. */
  position = -1n;

  constructor(
    private readonly readModels: FakeReadModels,
    private readonly onUnsupported: (error: unknown) => void,
  ) {}

  begin(): readonly [] {
    const { applied, entries, openCharges } = this.readModels;
    const isOfWallet = ({ stream }: StoredEvent): boolean => stream.startsWith('wallet-');
    this.days = (applied.filter(isOfWallet) as unknown as WalletEvent[]).flatMap((event) =>
      postings(event).map((posting) => ({ ...posting, day: event.data.recorded_at.slice(0, 10) })),
    );
    this.entries = applied.filter(({ type }) => type === 'LedgerEntryPosted').map(({ data }) => data as unknown as Entry);
    this.openSince = [...openCharges.values()].map(({ debited_at }) => debited_at);
    this.moved = entries.filter(({ amount_kobo }) => amount_kobo !== 0).map(({ recorded_at }) => recorded_at);
    const [shown, entriesShown] = ['ledger_day', 'wallet_entry'].map((model) => this.readModels.shownBy(model)) as [bigint, bigint];
    this.position = shown < entriesShown ? shown : entriesShown;
    return [];
  }

  run(statement: string, values: Values): readonly object[] {
    const [, rows] = STATEMENTS.find(([part]) => statement.includes(part)) ?? [];
    if (rows) return rows(this, values);
    const error = new Error(`The simulation does not know how the books are read by: ${statement}`);
    this.onUnsupported(error);
    throw error;
  }
}

function entryCounts(entries: readonly Entry[], from: string, to: string): object {
  const dates = entries.map(({ date }) => date).sort();
  return { posted: dates.length, within: dates.filter((date) => date >= from && date <= to).length, first_day: dates[0] ?? null };
}
