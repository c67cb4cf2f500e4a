import { type Pool } from 'pg';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { columnsOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
import { type Checkpoint } from '../../src/platform/projecting/checkpoints.js';
import { IS_MANUAL, walletEntryProjection, type WalletEntryRow } from './wallet-entry.projection.js';

const tables = statementsOn<{ 'read.wallet_entry': WalletEntryRow }>();
const [e, d] = [columnsOf<WalletEntryRow>('e'), columnsOf<WalletEntryRow>('d')];
const c = columnsOf<Checkpoint>('c');

export const LISTED = [
  ...(['revision', 'type', 'recorded_at', 'amount_kobo', 'balance_after_kobo', 'lookup_id', 'rupa_id'] as const),
  ...(['breakdown_kobo', 'fees', 'reason', 'reference', 'actor', 'hash'] as const),
] as const;

export type ListedEntry = Pick<WalletEntryRow, (typeof LISTED)[number]>;

/** Returns a wallet's entries from a revision on, or from a revision back. */
export async function entriesFrom(
  pool: Pool,
  partnerId: string,
  revision: number,
  order: 'asc' | 'desc',
  limit: number,
): Promise<ListedEntry[]> {
  return await rowsOf(
    pool,
    tables
      .selectFrom('read.wallet_entry')
      .select(LISTED)
      .where('partner_id', '=', partnerId)
      .where('revision', order === 'asc' ? '>=' : '<=', revision)
      .orderBy('revision', order)
      .limit(limit),
  );
}

/** Returns the time and the position in $all of a wallet's first entry; undefined if it has none. */
export async function firstEntry(
  snapshot: Snapshot,
  partnerId: string,
): Promise<Pick<WalletEntryRow, 'recorded_at' | 'position'> | undefined> {
  const first = tables
    .selectFrom('read.wallet_entry')
    .select(['recorded_at', 'position'])
    .where('partner_id', '=', partnerId)
    .orderBy('revision')
    .limit(1);
  return (await rowsOf(snapshot, first))[0];
}

/** Returns the revision of a wallet's last entry; undefined if it has none. */
export async function lastRevision(client: Pool | Snapshot, partnerId: string): Promise<number | undefined> {
  const last = tables
    .selectFrom('read.wallet_entry')
    .select('revision')
    .where('partner_id', '=', partnerId)
    .orderBy('revision', 'desc')
    .limit(1);
  return (await rowsOf(client, last))[0]?.revision;
}

type LastEntry = Pick<WalletEntryRow, 'revision' | 'hash' | 'balance_after_kobo'>;

/**
 * Returns a wallet's last entry up to a time. The times of a wallet's entries never decrease, so the statement halves the range of revisions
 * until one is left: 20 reads of the primary key for a wallet with a million entries. An index on the time would do the same, and every
 * lookup would have to write it.
 * @param comparison whether an entry at the time itself counts
 * @param before position in $all, as decimal text, before which the entry has to be; null for any
 */
export async function lastEntryUpTo(
  client: Pool | Snapshot,
  partnerId: string,
  comparison: '<' | '<=',
  time: string,
  before: string | null = null,
): Promise<LastEntry | undefined> {
  const isUpTo = `${e.recorded_at} ${comparison} $2::timestamptz and ($3::numeric is null or ${e.position} < $3)`;
  const text = `with recursive search(low, high) as (
      select -1::bigint, coalesce(
        (select ${e.revision} + 1 from read.wallet_entry e where ${e.partner_id} = $1 order by ${e.revision} desc limit 1), 0)::bigint
      union all
      select case when ${isUpTo} then ${e.revision} else s.low end, case when ${isUpTo} then s.high else ${e.revision} end
      from search s cross join lateral (
        select * from read.wallet_entry e where ${e.partner_id} = $1 and ${e.revision} = (s.low + s.high) / 2 limit 1) e
      where s.high - s.low > 1
    )
    select ${e.revision}, ${e.hash}, ${e.balance_after_kobo} from read.wallet_entry e
    where ${e.partner_id} = $1 and ${e.revision} = (select max(low) from search)`;
  return (await rowsOf(client, textStatement<LastEntry>(text, [partnerId, time, before])))[0];
}

/** Each entry is read through the primary key. With a join, PostgreSQL might read the whole wallet instead. */
const BALANCES = `select ${e.revision}, ${e.recorded_at}, ${e.balance_after_kobo}
  from (select generate_series($2::bigint, $3::bigint, $4::bigint) union select $3::bigint) r(revision)
  cross join lateral (select * from read.wallet_entry e where ${e.partner_id} = $1 and ${e.revision} = r.revision limit 1) e order by ${e.revision}`;

/** Returns a wallet's balances after every so many entries, from one revision to another, which is one of them. */
export async function balancesBetween(pool: Pool, partnerId: string, first: number, last: number, every: number) {
  type Balance = Pick<WalletEntryRow, 'revision' | 'recorded_at' | 'balance_after_kobo'>;
  return (await pool.query<Balance>(BALANCES, [partnerId, first, last, every])).rows;
}

const DEBIT = 'WalletDebited' satisfies WalletEvent['type'];

const SEARCHED = [
  ...(['partner_id', 'revision', 'type', 'amount_kobo', 'reference', 'kind', 'credit_reference', 'lookup_id', 'rupa_id'] as const),
  ...(['breakdown_kobo', 'fees', 'vat_percent', 'bank_fee_kobo', 'withheld_tax_kobo'] as const),
] as const;
export type SearchedRow = Pick<WalletEntryRow, (typeof SEARCHED)[number]>;

const searched = (entry: typeof e): string => SEARCHED.map((name) => entry[name]).join(', ');

/** The expressions keep PostgreSQL from using any other index for the lookup than that of its id. */
const TO_SEARCH = `select coalesce(${c.position} >= $2, $2 < 0) as caught_up, f.* from ops.checkpoint c left join (
    select ${searched(e)} from read.wallet_entry e where ${e.partner_id} = $1 and e.${IS_MANUAL}
    union all
    select ${searched(d)} from read.wallet_entry d
    where ${d.lookup_id} = $3 and ${d.partner_id} || '' = $1 and case when ${d.type} = '${DEBIT}' then true end) f on true
  where ${c.projection} = '${walletEntryProjection.name}' order by f.revision`;

/**
 * Returns the manual entries of a wallet and the charge of a lookup, oldest first. The result is undefined if the read model has not reached
 * the position in $all. One statement reads the rows and the checkpoint from one snapshot, because this read model may be faulted while the
 * others have caught up.
 */
export async function entriesToSearch(
  pool: Pool,
  partnerId: string,
  lookupId: string | null,
  position: bigint,
): Promise<readonly SearchedRow[] | undefined> {
  const { rows } = await pool.query<{ caught_up: boolean } & (SearchedRow | { partner_id: null })>(TO_SEARCH, [
    partnerId,
    position.toString(),
    lookupId,
  ]);
  return rows[0]?.caught_up ? rows.filter((row) => row.partner_id !== null) : undefined;
}
