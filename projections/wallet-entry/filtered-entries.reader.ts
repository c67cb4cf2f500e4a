import { type Pool } from 'pg';
import { columnsOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { LISTED, type ListedEntry } from './wallet-entry.reader.js';
import { type WalletEntryRow } from './wallet-entry.projection.js';

const e = columnsOf<WalletEntryRow>('e');

/** Selects entries of a wallet. An amount in kobo is compared without its sign. */
export interface EntryFilter {
  readonly rupaId?: string | undefined;
  readonly type?: WalletEntryRow['type'] | undefined;
  readonly minKobo?: number | undefined;
  readonly maxKobo?: number | undefined;
}

export interface RevisionRange {
  readonly first: number;
  /** Below `first` if the range is empty. */
  readonly last: number;
}

export interface EntriesFound {
  readonly rows: readonly ListedEntry[];
  /** The revision at which a search for more begins; null if there are no more than the rows. */
  readonly next: number | null;
}

/** Revisions that one statement looks through, and such statements of a page: no index leads to an amount or a farmer of a wallet. */
const WINDOW = 4_000;
const WINDOWS = 5;

/** The range is read by the primary key, and the conditions stand outside of it, so that PostgreSQL uses no other index. */
const search = (order: 'asc' | 'desc'): string => `select ${LISTED.map((name) => e[name]).join(', ')} from (
    select * from read.wallet_entry e where ${e.partner_id} = $1 and ${e.revision} >= $2::bigint and ${e.revision} <= $3::bigint
    order by ${e.revision} ${order} limit ${WINDOW}) e
  where ($4::text is null or ${e.rupa_id} = $4) and ($5::text is null or ${e.type} = $5)
    and abs(${e.amount_kobo}) >= coalesce($6::bigint, 0) and ($7::bigint is null or abs(${e.amount_kobo}) <= $7)
  order by ${e.revision} ${order} limit $8`;
const SEARCH = { asc: search('asc'), desc: search('desc') };

/** Returns the entries of a range that a filter selects. It looks through 20,000 of them, so that a page may be short although there are more. */
export async function filteredEntries(
  pool: Pool,
  partnerId: string,
  range: RevisionRange,
  order: 'asc' | 'desc',
  { rupaId, type, minKobo, maxKobo }: EntryFilter,
  limit: number,
): Promise<EntriesFound> {
  const rows: ListedEntry[] = [];
  let left = range;
  for (let window = 0; window < WINDOWS && left.first <= left.last; window += 1) {
    const { first, last } = windowOf(left, order);
    const values = [partnerId, first, last, rupaId ?? null, type ?? null, minKobo ?? null, maxKobo ?? null, limit + 1 - rows.length];
    rows.push(...(await rowsOf(pool, textStatement<ListedEntry>(SEARCH[order], values))));
    const further = rows[limit];
    if (further) return { rows: rows.slice(0, limit), next: further.revision };
    left = order === 'asc' ? { ...left, first: last + 1 } : { ...left, last: first - 1 };
  }
  if (left.first > left.last) return { rows, next: null };
  return { rows, next: order === 'asc' ? left.first : left.last };
}

function windowOf({ first, last }: RevisionRange, order: 'asc' | 'desc'): RevisionRange {
  return order === 'asc' ? { first, last: Math.min(last, first + WINDOW - 1) } : { first: Math.max(first, last - WINDOW + 1), last };
}
