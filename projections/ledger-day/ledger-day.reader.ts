import { sql } from 'kysely';
import { type AccountTotals } from '../../src/contexts/accounting/domain/account-totals.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type LedgerDayRow } from './ledger-day.projection.js';

const tables = statementsOn<{ 'read.ledger_day': LedgerDayRow; 'read.partner': PartnerRow }>();

export interface DayTotals extends AccountTotals {
  /** Day in UTC, such as 2026-03-01. */
  readonly day: string;
}

/** Returns what identifies the table: a rebuild replaces it by another one. */
export async function tableIdentity(snapshot: Snapshot): Promise<string> {
  const [found] = await rowsOf(snapshot, tables.selectNoFrom(sql<string>`'read.ledger_day'::regclass::oid::text`.as('oid')));
  return found?.oid ?? '';
}

/** Returns the totals of each account and day over the wallets of a mode, of the days after one day through another. */
export async function totalsByDay(snapshot: Snapshot, mode: Mode, after: string, through: string): Promise<DayTotals[]> {
  const rows = await rowsOf(
    snapshot,
    tables
      .selectFrom('read.ledger_day as l')
      .innerJoin('read.partner as p', 'p.partner_id', 'l.partner_id')
      .select(({ fn }) => [
        'l.day',
        'l.account',
        fn.sum<string>('l.debit_kobo').as('debit_kobo'),
        fn.sum<string>('l.credit_kobo').as('credit_kobo'),
      ])
      .where('p.mode', '=', mode)
      .where('l.day', '>', after)
      .where('l.day', '<=', through)
      .groupBy(['l.day', 'l.account']),
  );
  return rows.map(({ debit_kobo, credit_kobo, ...rest }) => ({
    ...rest,
    debit_kobo: BigInt(debit_kobo),
    credit_kobo: BigInt(credit_kobo),
  }));
}
