import { type Mode } from '../../../kernel/accounts.js';
import { Rejection } from '../../../platform/event-sourcing/decider.js';
import { type ClosedAccount, type Issuer, type PeriodClosed } from './events.js';
import { closableFrom, type Month, monthAfter, monthAt } from './month.js';

/** Callers match on these codes, so they must not change. */
export type PeriodRejectionCode =
  'period_unknown' | 'period_open' | 'period_not_ended' | 'period_out_of_order' | 'period_has_open_charges' | 'period_moved';
export class PeriodRejection extends Rejection<PeriodRejectionCode> {}

/** A month as the read models show it in one snapshot. */
export interface MonthRead {
  /** The first day (UTC) on which a wallet of the mode moved money; null if none did. */
  readonly wallets_first_day: string | null;
  /** Charges of the mode, of the month or earlier, that are neither settled nor refunded. */
  readonly open_charges: number;
  /** The accounts with a balance or a movement, by name. */
  readonly accounts: readonly ClosedAccount[];
  /** Number of the entries of the month's journal. */
  readonly entries: number;
  /** Number of the mode's ledger entries, of whatever day, that the totals are made from. */
  readonly posted: number;
  /** Index of the last event of the log that was read; null if it is not known. */
  readonly index: number | null;
}

export interface ClosePeriod {
  readonly kind: 'close';
  readonly mode: Mode;
  readonly month: Month;
  readonly read: MonthRead;
  readonly issuer: Issuer;
  /** The first part of the numbers of the month's statements. */
  readonly prefix: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

/** The facts by which the month that follows the closed ones is known. */
interface Sequence {
  /** The months that were closed, by their names, oldest first. */
  readonly closed: ReadonlyMap<string, unknown>;
  /** The first day (UTC) of a ledger entry; null before the first entry. */
  readonly first_day: string | null;
}

/** The part of a mode's ledger that decides which months may be closed. */
export interface Periods extends Sequence {
  readonly closed: ReadonlyMap<string, PeriodClosed['data']>;
  /** Number of the ledger entries. */
  readonly posted: number;
}

/** Returns the day (UTC) from which on entries may be dated: everything before is in a closed month. Null while no month is closed. */
export function openFrom({ closed }: Pick<Sequence, 'closed'>): string | null {
  const last = lastClosed(closed);
  return last?.until.slice(0, 'yyyy-mm-dd'.length) ?? null;
}

/** Returns the month that is to be closed next; null in books without an entry. @param walletsFirstDay as in {@link MonthRead} */
export function nextToClose({ closed, first_day }: Sequence, walletsFirstDay: string | null): Month | null {
  const last = lastClosed(closed);
  if (last) return monthAfter(last);
  const days = [first_day, walletsFirstDay].filter((day) => day !== null);
  return days.length === 0 ? null : monthAt(days.reduce((one, other) => (one < other ? one : other)));
}

/**
 * Decides about the close of a month (finance, "Closing a month"): in the order of the months, once, and with totals from which no entry is
 * missing. An entry that was posted since the totals were read changes their number, so that they are read again.
 * @returns undefined if the month was closed before
 * @throws PeriodRejection
 */
export function periodClosed({ month, read, at, ...command }: ClosePeriod, periods: Periods): PeriodClosed | undefined {
  if (periods.closed.has(month.name)) return undefined;
  const next = nextToClose(periods, read.wallets_first_day);
  if (!next || month.from < next.from || month.from > at) throw new PeriodRejection('period_unknown');
  if (at < closableFrom(month)) throw new PeriodRejection('period_not_ended', { closable_from: closableFrom(month) });
  if (month.name !== next.name) throw new PeriodRejection('period_out_of_order', { next_period: next.name });
  const { open_charges, accounts, entries, posted, index } = read;
  if (open_charges > 0) throw new PeriodRejection('period_has_open_charges', { open_charges });
  if (posted !== periods.posted) throw new PeriodRejection('period_moved');
  const { mode, issuer, prefix, actor } = command;
  const data = { mode, period: month.name, accounts, entries, index, issuer, prefix, recorded_at: at, actor };
  return { type: 'PeriodClosed', data };
}

/** Returns the closed months with another one. A month is closed once. */
export function withClosed(closed: Periods['closed'], data: PeriodClosed['data']): Periods['closed'] {
  return closed.has(data.period) ? closed : new Map([...closed, [data.period, data]]);
}

function lastClosed(closed: Sequence['closed']): Month | null {
  const last = [...closed.keys()].at(-1);
  return last === undefined ? null : monthAt(last);
}
