import { sql } from 'kysely';
import { type AccountTotals } from '../../src/contexts/accounting/domain/account-totals.js';
import { type Revenue, type RevenueGroup } from '../../src/contexts/accounting/domain/revenue.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
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

/** Returns the first day (UTC) on which a wallet of a mode moved money; null if none did. */
export async function firstDayOfWallets(snapshot: Snapshot, mode: Mode): Promise<string | null> {
  const [row] = await rowsOf(
    snapshot,
    tables
      .selectFrom('read.ledger_day as l')
      .innerJoin('read.partner as p', 'p.partner_id', 'l.partner_id')
      .select('l.day')
      .where('p.mode', '=', mode)
      .where((row) => row.or([row('l.debit_kobo', '<>', '0'), row('l.credit_kobo', '<>', '0')]))
      .orderBy('l.day')
      .limit(1),
  );
  return row?.day ?? null;
}

const [l, p] = [columnsOf<LedgerDayRow>('l'), columnsOf<PartnerRow>('p')];

/** The expression of each group of the revenue. An account of income has the name of its section. */
const GROUPS: { readonly [Group in RevenueGroup]: string } = {
  section: `case when ${l.account} = 'vat_payable' then ${l.section} else substr(${l.account}, length('revenue.') + 1) end`,
  partner: l.partner_id,
  month: `left(${l.day}, 7)`,
  day: l.day,
};

/**
 * Returns the revenue over the wallets of a mode from one day through another, in the order of its groups. Income and VAT are only debited by
 * what is given back.
 * @param by at least one group, each once
 */
export async function revenueByDay(
  snapshot: Snapshot,
  mode: Mode,
  [from, to]: readonly [string, string],
  by: readonly RevenueGroup[],
): Promise<Revenue[]> {
  // A charge counts once in each of its sections, and once in its wallet's line where sections are not told apart.
  const [counted, lines] = by.includes('section')
    ? [`${l.account} like 'revenue.%'`, `${l.account} like 'revenue.%' or ${l.account} = 'vat_payable'`]
    : [`${l.account} = 'partner_balances'`, `${l.account} like 'revenue.%' or ${l.account} in ('vat_payable', 'partner_balances')`];
  const amounts = `coalesce(sum(${l.charges}) filter (where ${counted}), 0)::bigint as lookups,
    coalesce(sum(${l.credit_kobo} - ${l.debit_kobo}) filter (where ${l.account} like 'revenue.%'), 0)::text as net_kobo,
    coalesce(sum(${l.credit_kobo} - ${l.debit_kobo}) filter (where ${l.account} = 'vat_payable'), 0)::text as vat_kobo,
    coalesce(sum(${l.debit_kobo}) filter (where ${l.account} <> 'partner_balances'), 0)::text as refunds_kobo`;
  const text = `select * from (
      select ${by.map((group) => `${GROUPS[group]} as ${group}`).join(', ')}, ${amounts}
      from read.ledger_day l join read.partner p on ${p.partner_id} = ${l.partner_id}
      where ${p.mode} = $1 and ${l.day} >= $2 and ${l.day} <= $3 and (${lines})
      group by ${by.map((_, index) => index + 1).join(', ')}
    ) r where r.lookups <> 0 or r.net_kobo <> '0' or r.vat_kobo <> '0' or r.refunds_kobo <> '0'
    order by ${by.map((group) => `r.${group} collate "C"`).join(', ')}`;
  type Found = { readonly [Group in RevenueGroup]?: string } & Record<'net_kobo' | 'vat_kobo' | 'refunds_kobo', string> & {
      lookups: number;
    };
  const found = await rowsOf(snapshot, textStatement<Found>(text, [mode, from, to]));
  return found.map(({ net_kobo, vat_kobo, refunds_kobo, ...rest }) => ({
    ...rest,
    net_kobo: BigInt(net_kobo),
    vat_kobo: BigInt(vat_kobo),
    refunds_kobo: BigInt(refunds_kobo),
  }));
}
