import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type LedgerPeriodRow } from './ledger-period.projection.js';

const tables = statementsOn<{ 'read.ledger_period': LedgerPeriodRow }>();

/** Returns a month of a mode that was closed; undefined if it is open. @param period month in UTC, such as 2026-03 */
export async function closedPeriod(snapshot: Snapshot, mode: Mode, period: string): Promise<LedgerPeriodRow | undefined> {
  const [row] = await rowsOf(
    snapshot,
    tables.selectFrom('read.ledger_period').selectAll().where('mode', '=', mode).where('period', '=', period),
  );
  return row;
}

/** Returns the months of a mode that were closed, oldest first. */
export async function closedPeriods(snapshot: Snapshot, mode: Mode): Promise<LedgerPeriodRow[]> {
  return await rowsOf(snapshot, tables.selectFrom('read.ledger_period').selectAll().where('mode', '=', mode).orderBy('period'));
}
