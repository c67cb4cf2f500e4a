import { Injectable } from '@nestjs/common';
import { type DayTotals, tableIdentity, totalsByDay } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { type Mode } from '../../../kernel/accounts.js';
import { type Snapshot } from '../../../platform/database/held-rows.js';
import { type AccountTotals, totalsByAccount } from '../domain/account-totals.js';
import { FIRST_DAY, LAST_DAY } from '../domain/books-period.js';

interface Book {
  /** Milliseconds since 1970. */
  readonly begunMs: number;
  /** Identifies the table that the totals were read from, because a rebuild replaces it. */
  readonly table: string;
  /** The last day that the totals include. */
  readonly through: string;
  readonly totals: readonly DayTotals[];
}

const DAY_MS = 86_400_000;
/** Whole days between a closed day and today. An entry reaches the log seconds after its time, so none of a closed day is missing. */
const DAYS_UNTIL_CLOSED = 2;
/** All days are added up again after this time, in case a suspended process or a wrong clock has added an entry to a closed day. */
const KEPT_MS = 600_000;

/**
 * The totals of each account over all wallets by day. A row of `ledger_day` is of one wallet, and thousands of wallets have hundreds of
 * thousands of rows a year, too many to add up for each trial balance. The days that are closed do not change, so this process keeps their
 * sums for some minutes: about a dozen numbers a day.
 */
@Injectable()
export class ClosedDays {
  private readonly books = new Map<Mode, Book>();

  /** Returns the totals of each account through a day, in no order. @param nowMs milliseconds since 1970 */
  async through(snapshot: Snapshot, mode: Mode, day: string, nowMs: number): Promise<AccountTotals[]> {
    const closed = new Date(nowMs - DAYS_UNTIL_CLOSED * DAY_MS).toISOString().slice(0, 10);
    const { totals } = await this.book(snapshot, mode, closed, nowMs);
    const later = day > closed ? await totalsByDay(snapshot, mode, closed, day) : [];
    return totalsByAccount([...totals.filter((each) => each.day <= day), ...later]);
  }

  /** Returns an account's balance over all wallets, whatever its date: debits less credits. @param nowMs milliseconds since 1970 */
  async balanceOf(snapshot: Snapshot, mode: Mode, account: string, nowMs: number): Promise<bigint> {
    const found = (await this.through(snapshot, mode, LAST_DAY, nowMs)).find((each) => each.account === account);
    return found ? found.debit_kobo - found.credit_kobo : 0n;
  }

  private async book(snapshot: Snapshot, mode: Mode, closed: string, nowMs: number): Promise<Book> {
    const table = await tableIdentity(snapshot);
    const known = this.books.get(mode);
    if (known?.table === table && known.through === closed && nowMs - known.begunMs < KEPT_MS) return known;
    const book = { begunMs: nowMs, table, through: closed, totals: await totalsByDay(snapshot, mode, FIRST_DAY, closed) };
    this.books.set(mode, book);
    return book;
  }
}
