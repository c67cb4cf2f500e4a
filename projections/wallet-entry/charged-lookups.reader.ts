import { type NotNull, sql } from 'kysely';
import { type Pool } from 'pg';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, listOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
import { type OpenChargeRow } from '../open-charge/open-charge.projection.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type FeesOfEntry, feesOf } from './fees-of-entry.js';
import { type WalletEntryRow } from './wallet-entry.projection.js';

type EntryType = WalletEntryRow['type'];

const tables = statementsOn<{ 'read.wallet_entry': WalletEntryRow }>();
const [d, e] = [columnsOf<WalletEntryRow>('d'), columnsOf<WalletEntryRow>('e')];
const [o, p] = [columnsOf<OpenChargeRow>('o'), columnsOf<PartnerRow>('p')];
// Literals, because PostgreSQL uses a partial index only if it can prove its condition.
const DEBIT = sql.lit<EntryType>('WalletDebited');
const IS_DEBIT = `${d.type} = '${'WalletDebited' satisfies EntryType}'`;
const REFUND = `'${'RefundIssued' satisfies EntryType}'`;
const COMPENSATION = `'${'LookupCompensated' satisfies EntryType}'`;

export interface DescribedLookup extends FeesOfEntry, Pick<WalletEntryRow, 'revision' | 'amount_kobo' | 'recorded_at'> {
  readonly lookup_id: string;
  readonly request_id: string;
  readonly rupa_id: string;
  readonly source: string;
  readonly price_book_version: number;
  readonly outcome: 'open' | 'settled' | 'refunded' | 'compensated';
}

/**
 * Describes the debits that `debits` selects. A charge that is not open has the outcome of the entry that gave it back; without one it is
 * settled. That entry is found by its lookup: the expressions keep PostgreSQL from looking for it through the whole wallet.
 */
const described = (
  debits: string,
): string => `select ${d.revision}, ${d.lookup_id}, ${d.request_id}, ${d.rupa_id}, ${d.source}, ${d.amount_kobo},
    ${d.breakdown_kobo}, ${d.fees}, ${d.price_book_version}, ${d.recorded_at},
    case when (select true from read.open_charge o where ${o.lookup_id} = ${d.lookup_id} limit 1) then 'open' else coalesce((
      select case ${e.type} when ${REFUND} then 'refunded' else 'compensated' end from read.wallet_entry e
      where ${e.lookup_id} = ${d.lookup_id} and ${e.partner_id} || '' = ${d.partner_id} and ${e.type} in (${REFUND}, ${COMPENSATION})
      order by ${e.revision} + 0 desc limit 1), 'settled') end as outcome
  from (${debits}) d order by ${d.revision} desc`;

/**
 * The primary key returns this order, so that PostgreSQL reads no more of a wallet than the page needs. It takes a comparison of `type` for rare
 * while it has no statistics, and would then sort the whole wallet; of the `case` it expects every second row.
 */
const NEWEST = described(`select * from read.wallet_entry d
  where ${d.partner_id} = $1 and ${d.revision} < coalesce($2::bigint, ${Number.MAX_SAFE_INTEGER}) and case when ${IS_DEBIT} then true end
  order by ${d.revision} desc limit $3`);

const OF_REQUEST = described(`select * from read.wallet_entry d
  where ${d.request_id} = $4 and ${d.partner_id} || '' = $1 and ${d.revision} < coalesce($2::bigint, ${Number.MAX_SAFE_INTEGER}) and ${IS_DEBIT}
  order by ${d.revision} + 0 desc limit $3`);

const OF_LOOKUP = described(`select * from read.wallet_entry d
  where ${d.lookup_id} = $2 and ${d.partner_id} || '' = $1 and ${IS_DEBIT} order by ${d.revision} + 0 desc limit 1`);

/** Returns a partner's charged lookups before a revision of its wallet, newest first; of one request, if an id is given. */
export async function lookupsBefore(pool: Pool, partnerId: string, revision: number | undefined, limit: number, requestId?: string) {
  const values = [partnerId, revision ?? null, limit];
  return requestId === undefined
    ? await rowsOf(pool, textStatement<DescribedLookup>(NEWEST, values))
    : await rowsOf(pool, textStatement<DescribedLookup>(OF_REQUEST, [...values, requestId]));
}

/** Returns a partner's charged lookup. */
export async function lookupOf(pool: Pool, partnerId: string, lookupId: string): Promise<DescribedLookup | undefined> {
  return (await rowsOf(pool, textStatement<DescribedLookup>(OF_LOOKUP, [partnerId, lookupId])))[0];
}

/** Returns where the debit of a lookup is. */
export async function debitOf(pool: Pool, lookupId: string): Promise<Pick<WalletEntryRow, 'partner_id' | 'revision'> | undefined> {
  const debits = tables.selectFrom('read.wallet_entry').select(['partner_id', 'revision']).where('lookup_id', '=', lookupId);
  return (await rowsOf(pool, debits.where('type', '=', DEBIT).orderBy('recorded_at', 'desc').limit(1)))[0];
}

/** Returns the compensation of a partner's lookup. */
export async function compensationOf(pool: Pool, partnerId: string, lookupId: string) {
  const [found] = await rowsOf(
    pool,
    tables
      .selectFrom('read.wallet_entry')
      .select(['recorded_at as at', 'revision', 'reason'])
      .where('partner_id', '=', partnerId)
      .where('lookup_id', '=', lookupId)
      .where('type', '=', sql.lit<EntryType>('LookupCompensated'))
      .$narrowType<{ reason: NotNull }>(),
  );
  return found;
}

/** Returns the newest lookups that were charged for a request, at most `limit`. */
export async function lookupsOfRequest(pool: Pool, requestId: string, limit: number): Promise<{ readonly lookup_id: string }[]> {
  const lookups = tables.selectFrom('read.wallet_entry').select('lookup_id').where('request_id', '=', requestId);
  return await rowsOf(pool, lookups.orderBy('recorded_at', 'desc').limit(limit).$narrowType<{ lookup_id: NotNull }>());
}

/** A page of a farmer's lookups begins after the lookup with these values. */
export type LookupPosition = readonly [recordedAt: string, partnerId: string, revision: number];

/** Returns a farmer's lookups in a time window, newest first. Its bounds are ISO 8601, and both are included. */
export async function lookupsOfFarmer(
  pool: Pool,
  rupaId: string,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  after: LookupPosition | undefined,
  limit: number,
) {
  const lookups = tables
    .selectFrom('read.wallet_entry')
    .select(['lookup_id', 'recorded_at', 'partner_id', 'revision'])
    .where('rupa_id', '=', rupaId)
    .where('type', '=', DEBIT)
    .orderBy('recorded_at', 'desc')
    .orderBy('partner_id', 'desc')
    .orderBy('revision', 'desc')
    .limit(limit)
    .$narrowType<{ lookup_id: NotNull }>();
  return await rowsOf(
    pool,
    lookups
      .$if(from !== undefined, (query) => query.where('recorded_at', '>=', from ?? ''))
      .$if(to !== undefined, (query) => query.where('recorded_at', '<=', to ?? ''))
      .$if(after !== undefined, (query) =>
        query.where((where) =>
          where.eb(where.refTuple('recorded_at', 'partner_id', 'revision'), '<', where.tuple(...(after ?? (['', '', 0] as const)))),
        ),
      ),
  );
}

/** A lookup's sections are those with a fee in its breakdown. */
const REPORTED = `select ${p.partner_id}, ${p.company_name}, ${p.account_type}, ${d.lookup_id}, ${d.recorded_at} as looked_up_at, ${d.source},
    array(select substr(fee, 9) from (${feesOf('d')}) fees where starts_with(fee, 'svc_fee.') order by fee collate "C") as sections,
    exists (select from read.wallet_entry e where ${e.lookup_id} = ${d.lookup_id} and ${e.type} = ${REFUND}) as refunded
  from read.wallet_entry d join read.partner p on ${p.partner_id} = ${d.partner_id}
  where ${d.rupa_id} = $1 and ${IS_DEBIT} order by ${d.recorded_at} desc, ${p.partner_id}, ${d.revision} desc`;

export interface ReportedLookup extends Pick<PartnerRow, 'partner_id' | 'company_name' | 'account_type'> {
  readonly lookup_id: string;
  readonly looked_up_at: string;
  readonly source: string;
  readonly sections: readonly string[];
  readonly refunded: boolean;
}

/** Returns all lookups of a farmer with the partners that made them, newest first. */
export async function reportedLookups(snapshot: Snapshot, rupaId: string): Promise<AsyncIterable<ReportedLookup>> {
  return await listOf(snapshot, textStatement<ReportedLookup>(REPORTED, [rupaId]));
}
