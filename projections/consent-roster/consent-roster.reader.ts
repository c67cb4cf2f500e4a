import { type Pool } from 'pg';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, listOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type WalletEntryRow } from '../wallet-entry/wallet-entry.projection.js';
import { type ConsentRosterRow } from './consent-roster.projection.js';

const tables = statementsOn<{ 'read.consent_roster': ConsentRosterRow; 'read.partner': PartnerRow }>();
const c = columnsOf<ConsentRosterRow>('c');
const [e, p] = [columnsOf<WalletEntryRow>('e'), columnsOf<WalletEntryRow>('p')];

/** Number of the wallet's entries that a page looks through, from the last one of the page before. */
const ENTRIES = 4_000;
const DEBIT: WalletEntryRow['type'] = 'WalletDebited';

const ENTRY = `${c.rupa_id}, ${c.source}, ${c.granted_at}, ${c.last_accessed_at}, ${c.access_count}`;

/**
 * The wallet revision of a consent's latest lookup as the first page saw it, which was made at revision $4. Lookups since then move the
 * consent in the roster, but not in the pages that follow. The expression for `rupa_id` keeps PostgreSQL from reading other partners' lookups
 * of the farmer, of which there may be any number.
 */
const SEEN = `case when ${c.last_revision} <= $4::bigint then ${c.last_revision} else coalesce((
    select ${p.revision} from read.wallet_entry p
    where ${p.partner_id} = $1 and ${p.revision} between ${c.granted_revision} and $4 and ${p.type} = '${DEBIT}' and ${p.rupa_id} || '' = ${c.rupa_id}
    order by ${p.revision} desc limit 1), ${c.granted_revision}) end`;

/**
 * Selects the consents of the lookups before revision $3, newest first. Consents that are not selected were all accessed earlier. `offset 0`
 * makes PostgreSQL find each consent by its key.
 */
const BY_LOOKUPS = `select ${ENTRY}, ${e.revision} as position
  from (select * from read.wallet_entry e where ${e.partner_id} = $1 and ${e.revision} < $3 order by ${e.revision} desc limit ${ENTRIES}) e
  cross join lateral (
    select c.* from read.consent_roster c
    where ${c.partner_id} = $1 and ${c.rupa_id} = ${e.rupa_id} and ${e.type} = '${DEBIT}' and ${c.granted_revision} <= ${e.revision} offset 0) c
  where ${e.revision} = ${SEEN}
  order by ${e.revision} desc limit $2`;

const ALL = `select ${ENTRY}, c.seen as position
  from (select c.*, ${SEEN} as seen from read.consent_roster c where ${c.partner_id} = $1 and ${c.granted_revision} <= $4) c
  where c.seen < $3 order by c.seen desc limit $2`;

export interface RosterRow extends Pick<ConsentRosterRow, 'rupa_id' | 'source' | 'granted_at' | 'last_accessed_at' | 'access_count'> {
  /** Wallet revision of the consent's latest lookup. */
  readonly position: number;
}

/**
 * Returns a partner's consents whose latest lookup is before one wallet revision, the latest first, as the roster was at another revision.
 * The roster has no index by access time, because every lookup would have to update it; the wallet's entries are in that order already.
 */
export async function rosterBefore(pool: Pool, partnerId: string, before: number, asOf: number, limit: number): Promise<RosterRow[]> {
  const values = [partnerId, limit, before, asOf];
  const rows = await rowsOf(pool, textStatement<RosterRow>(BY_LOOKUPS, values));
  return rows.length === limit ? rows : await rowsOf(pool, textStatement<RosterRow>(ALL, values));
}

/** Returns the wallet revision at which a partner's consent was granted; undefined if the farmer is not on its roster. */
export async function grantedRevision(pool: Pool, partnerId: string, rupaId: string): Promise<number | undefined> {
  const consents = tables.selectFrom('read.consent_roster').select('granted_revision').where('partner_id', '=', partnerId);
  return (await rowsOf(pool, consents.where('rupa_id', '=', rupaId)))[0]?.granted_revision;
}

/** Returns whether a partner's roster has at most this many consents. It reads no more of them than that. */
export async function hasAtMost(pool: Pool, consents: number, partnerId: string): Promise<boolean> {
  const roster = tables.selectFrom('read.consent_roster').select('rupa_id').where('partner_id', '=', partnerId);
  return (await rowsOf(pool, roster.offset(consents).limit(1))).length === 0;
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
