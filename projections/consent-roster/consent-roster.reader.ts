import { type Pool } from 'pg';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, listOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
import { notErased } from '../erased-farmer/erased-farmer.reader.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type WalletEntryRow } from '../wallet-entry/wallet-entry.projection.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { consentRosterProjection, type ConsentRosterRow } from './consent-roster.projection.js';

const tables = statementsOn<{ 'read.consent_roster': ConsentRosterRow; 'read.partner': PartnerRow }>();
const c = columnsOf<ConsentRosterRow>('c');
const [e, p] = [columnsOf<WalletEntryRow>('e'), columnsOf<WalletEntryRow>('p')];

/** Bounds of the work of a page, which tests lower. */
export interface RosterLimits {
  /** Entries of the wallet that one statement looks through. */
  readonly window: number;
  /** Such statements of one page. */
  readonly windows: number;
  /** Up to this many consents, reading the whole roster is faster than looking through more than a few entries. */
  readonly fewConsents: number;
}
export const ROSTER_LIMITS: RosterLimits = { window: 4_000, windows: 5, fewConsents: 2_000 };

/** Entries of the wallet that a page looks through first, for each of its consents. */
const ENTRIES_PER_CONSENT = 4;
const DEBIT: WalletEntryRow['type'] = 'WalletDebited';

const ENTRY = `${c.rupa_id}, ${c.source}, ${c.granted_at}, ${c.last_accessed_at}, ${c.access_count}`;

/**
 * The wallet revision of a consent's latest lookup as the first page saw it, which was made at revision $4. Lookups since then move the
 * consent in the roster, but not in the pages that follow. The index of a partner's lookups of a farmer finds it.
 */
const SEEN = `case when ${c.last_revision} <= $4::bigint then ${c.last_revision} else coalesce((
    select ${p.revision} from read.wallet_entry p
    where hashtext(${p.rupa_id}) = hashtext(${c.rupa_id}) and hashtext(${p.partner_id}) = hashtext($1) and ${p.revision} between ${c.granted_revision} and $4
      and ${p.type} = '${DEBIT}' and ${p.rupa_id} || '' = ${c.rupa_id} and ${p.partner_id} || '' = $1
    order by hashtext(${p.rupa_id}) desc, hashtext(${p.partner_id}) desc, ${p.revision} desc limit 1), ${c.granted_revision}) end`;

/**
 * Selects the consents of the lookups among the $5 entries before revision $3, newest first. Consents that are not selected were all accessed
 * earlier. `offset 0` makes PostgreSQL find each consent by its key.
 */
const BY_LOOKUPS = `with entries as materialized (
    select ${e.revision}, ${e.rupa_id}, ${e.type} from read.wallet_entry e where ${e.partner_id} = $1 and ${e.revision} < $3
    order by ${e.revision} desc limit $5)
  select r.*, w.* from (select count(*) as size, min(revision) as first, max(revision) as last from entries) w
  left join lateral (
    select ${ENTRY}, e.latest as position
    from (select rupa_id, max(revision) as latest from entries where type = '${DEBIT}' group by rupa_id) e
    cross join lateral (
      select * from read.consent_roster c
      where ${c.partner_id} = $1 and ${c.rupa_id} = e.rupa_id and ${c.granted_revision} <= e.latest and ${notErased('c')} offset 0) c
    where e.latest = ${SEEN}
    order by e.latest desc limit $2) r on true
  order by r.position desc`;

const ALL = `select ${ENTRY}, c.seen as position
  from (select c.*, ${SEEN} as seen from read.consent_roster c where ${c.partner_id} = $1 and ${c.granted_revision} <= $4 and ${notErased('c')}) c
  where c.seen < $3 order by c.seen desc limit $2`;

interface RosterRow extends Pick<ConsentRosterRow, 'rupa_id' | 'source' | 'granted_at' | 'last_accessed_at' | 'access_count'> {
  /** Wallet revision of the consent's latest lookup. */
  readonly position: number;
}

/** Some of a wallet's entries: how many, and the first and the last of their revisions. */
interface Entries {
  readonly size: number;
  readonly first: number | null;
  readonly last: number | null;
}

export interface RosterPage {
  readonly rows: readonly RosterRow[];
  /** The wallet's last revision before the page; undefined if it has none. */
  readonly newest: number | undefined;
  /** The revision before which a search for more begins; null if there are no more. */
  readonly searchedTo: number | null;
}

/**
 * Returns a partner's consents whose latest lookup is before one wallet revision, the latest first, as the roster was at another revision.
 * The roster has no index by access time, because every lookup would have to update it; the wallet's entries are in that order already. There
 * may be more consents than those of a short page: a large partner may have looked up few farmers again and again. Erased farmers are not
 * on the roster.
 */
export async function rosterBefore(
  pool: Pool,
  partnerId: string,
  before: number,
  asOf: number,
  limit: number,
  { window, windows, fewConsents } = ROSTER_LIMITS,
): Promise<RosterPage> {
  const rows: RosterRow[] = [];
  let [from, newest]: [number, number | undefined] = [before, undefined];
  for (let searched = 0; searched <= windows; searched += 1) {
    const size = searched === 0 ? Math.min(window, limit * ENTRIES_PER_CONSENT) : window;
    const values = [partnerId, limit - rows.length, from, asOf];
    if (searched === 1 && (await consentCount(pool, partnerId, fewConsents + 1)) <= fewConsents)
      return { rows: [...rows, ...(await rowsOf(pool, textStatement<RosterRow>(ALL, values)))], newest, searchedTo: null };
    const found = await rowsOf(pool, textStatement<Entries & (RosterRow | { rupa_id: null })>(BY_LOOKUPS, [...values, size]));
    rows.push(...found.flatMap(({ size: _size, first: _first, last: _last, ...row }) => (row.rupa_id === null ? [] : [row])));
    const [entries] = found;
    newest ??= entries?.last ?? undefined;
    if ((entries?.size ?? 0) < size) return { rows, newest, searchedTo: null };
    from = entries?.first ?? 0;
    if (rows.length === limit) break;
  }
  return { rows, newest, searchedTo: from };
}

const ON_ROSTER = `select c.* from read.consent_roster c where ${c.partner_id} = $1 and ${c.rupa_id} = $2 and ${notErased('c')}`;

/** Returns the wallet revision at which a partner's consent was granted; undefined if the farmer is not on its roster. @throws RowForged */
export async function grantedRevision(pool: Pool, macs: RowMacs, partnerId: string, rupaId: string): Promise<number | undefined> {
  const [consent] = await rowsOf(pool, textStatement<ConsentRosterRow>(ON_ROSTER, [partnerId, rupaId]));
  return consent && macs.genuine(consentRosterProjection.table, consent).granted_revision;
}

export type ConsentKey = Pick<ConsentRosterRow, 'partner_id' | 'rupa_id'>;

const BETWEEN = `select c.* from json_to_recordset($1) as k(partner_id text, rupa_id text)
  cross join lateral (select * from read.consent_roster c where ${c.partner_id} = k.partner_id and ${c.rupa_id} = k.rupa_id offset 0) c`;

async function consentsBetween(pool: Pool, keys: readonly ConsentKey[]): Promise<ConsentRosterRow[]> {
  return await rowsOf(pool, textStatement<ConsentRosterRow>(BETWEEN, [JSON.stringify(keys)]));
}

/** Returns those of the consents that have no row which the projector wrote. A forged one may have gone since it was read. */
export async function untrustedConsents(pool: Pool, macs: RowMacs, keys: readonly ConsentKey[]): Promise<readonly ConsentKey[]> {
  if (keys.length === 0) return [];
  const genuine = (await consentsBetween(pool, keys)).filter((consent) => macs.holds(consentRosterProjection.table, consent));
  return keys.filter((key) => !genuine.some((consent) => consent.partner_id === key.partner_id && consent.rupa_id === key.rupa_id));
}

/** Returns those of the consents that are on the roster. @throws RowForged if the projector did not write one of them */
export async function genuineConsents(pool: Pool, macs: RowMacs, keys: readonly ConsentKey[]): Promise<readonly ConsentKey[]> {
  if (keys.length === 0) return [];
  return (await consentsBetween(pool, keys)).map((consent) => macs.genuine(consentRosterProjection.table, consent));
}

const COUNT = `select count(*) from (select from read.consent_roster c where ${c.partner_id} = $1 limit $2) c`;

/** Returns how many consents a partner's roster has, counted up to `most`. */
export async function consentCount(pool: Pool, partnerId: string, most: number): Promise<number> {
  return (await rowsOf(pool, textStatement<{ count: number }>(COUNT, [partnerId, most])))[0]?.count ?? 0;
}

/** Returns all consents to a farmer with their partners, the one granted last first. */
export async function consentsTo(snapshot: Snapshot, rupaId: string) {
  return await listOf(
    snapshot,
    tables
      .selectFrom('read.consent_roster as c')
      .innerJoin('read.partner as p', 'p.partner_id', 'c.partner_id')
      .select(['p.partner_id', 'p.company_name', 'p.account_type', 'c.source', 'c.granted_at', 'c.last_accessed_at', 'c.access_count'])
      .where('c.rupa_id', '=', rupaId)
      .orderBy('c.granted_at', 'desc')
      .orderBy('p.partner_id'),
  );
}
