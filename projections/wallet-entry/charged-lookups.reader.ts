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
const IS_DEBIT = `${d.type} = '${'WalletDebited' satisfies EntryType}'`;
/** The same condition, with which PostgreSQL does not use an index of debits, or expect that few entries fulfil it. */
const MAY_BE_DEBIT = `case when ${IS_DEBIT} then true end`;
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

/** Entries of a wallet that one statement looks through for lookups, and such statements of one page. */
const WINDOW = 4_000;
const WINDOWS = 5;

/** The primary key returns this order, so that PostgreSQL reads no more of a wallet than the page needs. */
const NEWEST = described(`select * from (
    select * from read.wallet_entry d
    where ${d.partner_id} = $1 and ${d.revision} < $2::bigint and ${d.revision} > $4::bigint order by ${d.revision} desc limit ${WINDOW}) d
  where ${MAY_BE_DEBIT} order by ${d.revision} desc limit $3`);

const END_OF_WINDOW = `select ${d.revision} from read.wallet_entry d where ${d.partner_id} = $1 and ${d.revision} < $2::bigint
  and ${d.revision} > $3::bigint order by ${d.revision} desc offset ${WINDOW - 1} limit 1`;

const OF_REQUEST = described(`select * from read.wallet_entry d
  where hashtext(${d.request_id}) = hashtext($5) and ${d.request_id} = $5 and hashtext(${d.partner_id}) = hashtext($1) and ${d.partner_id} || '' = $1
    and ${d.revision} < $2::bigint and ${d.revision} > $4::bigint and ($6::text is null or ${d.rupa_id} = $6)
  order by hashtext(${d.request_id}) desc, hashtext(${d.partner_id}) desc, ${d.revision} desc limit $3`);

const ABOUT_FARMER = described(`select * from read.wallet_entry d
  where hashtext(${d.rupa_id}) = hashtext($5) and ${d.rupa_id} = $5 and hashtext(${d.partner_id}) = hashtext($1) and ${d.partner_id} || '' = $1
    and ${IS_DEBIT} and ${d.revision} < $2::bigint and ${d.revision} > $4::bigint
  order by hashtext(${d.rupa_id}) desc, hashtext(${d.partner_id}) desc, ${d.revision} desc limit $3`);

const OF_LOOKUP = described(`select * from read.wallet_entry d
  where ${d.lookup_id} = $2 and ${d.partner_id} || '' = $1 and ${MAY_BE_DEBIT} order by ${d.revision} + 0 desc limit 1`);

export interface LookupsPage {
  readonly rows: readonly DescribedLookup[];
  /** The revision before which a search for more begins; null if there are no more than the rows. */
  readonly searchedTo: number | null;
}

/** Selects lookups of a wallet: those of a request, about a farmer, and between two revisions, neither of which is included. */
export interface LookupFilter {
  readonly requestId?: string | undefined;
  readonly rupaId?: string | undefined;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

/**
 * Returns a partner's charged lookups, newest first. There may be more than those of a short page if most entries of the wallet are no
 * lookups.
 */
export async function chargedLookups(
  pool: Pool,
  partnerId: string,
  { requestId, rupaId, after = -1, before = Number.MAX_SAFE_INTEGER }: LookupFilter,
  limit: number,
): Promise<LookupsPage> {
  const values = [partnerId, before, limit, after];
  if (requestId !== undefined) {
    const found = textStatement<DescribedLookup>(OF_REQUEST, [...values, requestId, rupaId ?? null]);
    return { rows: await rowsOf(pool, found), searchedTo: null };
  }
  if (rupaId !== undefined)
    return { rows: await rowsOf(pool, textStatement<DescribedLookup>(ABOUT_FARMER, [...values, rupaId])), searchedTo: null };
  const rows: DescribedLookup[] = [];
  let from = before;
  for (let window = 0; window < WINDOWS; window += 1) {
    rows.push(...(await rowsOf(pool, textStatement<DescribedLookup>(NEWEST, [partnerId, from, limit - rows.length, after]))));
    if (rows.length === limit) return { rows, searchedTo: null };
    const [end] = await rowsOf(pool, textStatement<Pick<WalletEntryRow, 'revision'>>(END_OF_WINDOW, [partnerId, from, after]));
    if (!end) return { rows, searchedTo: null };
    from = end.revision;
  }
  return { rows, searchedTo: from };
}

/** Returns a partner's charged lookup. */
export async function lookupOf(pool: Pool, partnerId: string, lookupId: string): Promise<DescribedLookup | undefined> {
  return (await rowsOf(pool, textStatement<DescribedLookup>(OF_LOOKUP, [partnerId, lookupId])))[0];
}

const DEBIT_OF = `select ${d.partner_id}, ${d.revision} from read.wallet_entry d where ${d.lookup_id} = $1 and ${MAY_BE_DEBIT}
  order by ${d.recorded_at} desc limit 1`;

/** Returns where the debit of a lookup is. */
export async function debitOf(pool: Pool, lookupId: string): Promise<Pick<WalletEntryRow, 'partner_id' | 'revision'> | undefined> {
  return (await rowsOf(pool, textStatement<Pick<WalletEntryRow, 'partner_id' | 'revision'>>(DEBIT_OF, [lookupId])))[0];
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

/** Lookups of one request that are compared by their time. */
const COMPARED = 1_000;
const OF_REQUEST_ID = `select lookup_id from (
    select ${d.lookup_id}, ${d.recorded_at} from read.wallet_entry d
    where hashtext(${d.request_id}) = hashtext($1) and ${d.request_id} = $1 limit ${COMPARED}) d
  order by ${d.recorded_at} desc limit $2`;

/** Returns the newest lookups that were charged for a request, at most `limit`; if there are more than 1,000, the newest of some of them. */
export async function lookupsOfRequest(pool: Pool, requestId: string, limit: number): Promise<{ readonly lookup_id: string }[]> {
  return await rowsOf(pool, textStatement<{ readonly lookup_id: string }>(OF_REQUEST_ID, [requestId, limit]));
}

/** A page of a farmer's lookups begins after the lookup with these values. */
export type LookupPosition = readonly [recordedAt: string, partnerId: string, revision: number];

/** Lookups of the same time are in the order of the index. */
const OF_FARMER = `select ${d.lookup_id}, ${d.recorded_at}, ${d.partner_id}, ${d.revision}, ${d.source}, ${d.amount_kobo} from read.wallet_entry d
  where hashtext(${d.rupa_id}) = hashtext($1) and ${d.rupa_id} = $1 and ${IS_DEBIT} and ${d.recorded_at} >= coalesce($2::timestamptz, '-infinity')
    and ${d.recorded_at} <= least($3::timestamptz, $4::timestamptz, 'infinity')
    and ($4::timestamptz is null or (${d.recorded_at}, hashtext(${d.partner_id}), ${d.revision}) < ($4, hashtext($5), $6::bigint))
  order by hashtext(${d.rupa_id}) desc, ${d.recorded_at} desc, hashtext(${d.partner_id}) desc, ${d.revision} desc limit $7`;

export type LookupOfFarmer = Pick<WalletEntryRow, 'recorded_at' | 'partner_id' | 'revision' | 'source' | 'amount_kobo'> & {
  readonly lookup_id: string;
};

/** Returns a farmer's lookups in a time window, newest first. Its bounds are ISO 8601, and both are included. */
export async function lookupsOfFarmer(
  pool: Pool,
  rupaId: string,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  [recordedAt, partnerId, revision]: LookupPosition | readonly [] = [],
  limit: number,
): Promise<LookupOfFarmer[]> {
  const values = [rupaId, from ?? null, to ?? null, recordedAt ?? null, partnerId ?? null, revision ?? null, limit];
  return await rowsOf(pool, textStatement<LookupOfFarmer>(OF_FARMER, values));
}

/** A lookup's sections are those with a fee in its breakdown. */
const REPORTED = `select ${p.partner_id}, ${p.company_name}, ${p.account_type}, ${d.lookup_id}, ${d.recorded_at} as looked_up_at, ${d.source},
    array(select substr(fee, 9) from (${feesOf('d')}) fees where starts_with(fee, 'svc_fee.') order by fee collate "C") as sections,
    exists (select from read.wallet_entry e where ${e.lookup_id} = ${d.lookup_id} and ${e.type} = ${REFUND}) as refunded
  from read.wallet_entry d join read.partner p on ${p.partner_id} = ${d.partner_id}
  where hashtext(${d.rupa_id}) = hashtext($1) and ${d.rupa_id} = $1 and ${IS_DEBIT}
  order by ${d.recorded_at} desc, ${p.partner_id}, ${d.revision} desc`;

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
