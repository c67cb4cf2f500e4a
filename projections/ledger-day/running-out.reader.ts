import { type Pace } from '../../src/contexts/accounting/domain/running-out.js';
import { type Pool } from 'pg';
import { columnsOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type WalletEntryRow } from '../wallet-entry/wallet-entry.projection.js';
import { type LedgerDayRow } from './ledger-day.projection.js';

const [l, p, e] = [columnsOf<LedgerDayRow>('l'), columnsOf<PartnerRow>('p'), columnsOf<WalletEntryRow>('e')];

/** An active live partner with charges. */
export interface SpentWallet {
  readonly partner_id: string;
  readonly company_name: string;
  readonly balance_kobo: number;
  /** The charges less what was given back, with the fees that are passed through. */
  readonly spent_kobo: number;
}

/** A charge credits these accounts, and what is given back debits them: unlike the partner's balance, credits and payouts do not move them. */
const CHARGED = `${l.account} like 'revenue.%' or ${l.account} = 'vat_payable' or ${l.account} like 'passthrough_payable.%'`;

const RUNNING_OUT = `select ${p.partner_id}, ${p.company_name}, b.balance_kobo, s.spent_kobo from (
    select ${l.partner_id}, sum(${l.credit_kobo} - ${l.debit_kobo})::bigint as spent_kobo
    from read.ledger_day l where ${l.day} >= $1 and (${CHARGED})
    group by ${l.partner_id} having sum(${l.credit_kobo} - ${l.debit_kobo}) > 0
  ) s join read.partner p on ${p.partner_id} = s.partner_id
  cross join lateral (
    select ${e.balance_after_kobo} as balance_kobo from read.wallet_entry e where ${e.partner_id} = s.partner_id
    order by ${e.revision} desc limit 1
  ) b
  where ${p.mode} = 'live' and ${p.status} = 'active' and b.balance_kobo < s.spent_kobo * $2::float8
  order by b.balance_kobo::float8 / s.spent_kobo, ${p.partner_id} limit $3`;

/** Returns the active live partners whose balances the charges of a week would use up, the one that is out of money first. */
export async function walletsRunningOut(pool: Pool, { from, timesForWeek }: Pace, limit: number): Promise<SpentWallet[]> {
  return await rowsOf(pool, textStatement<SpentWallet>(RUNNING_OUT, [from, timesForWeek, limit]));
}
