import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Cursors, type Page } from '../../http/paging.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { walletStreamOf } from '../wallet/domain/events.js';
import { type RosterEntry } from './consents.dto.js';

/** Number of the wallet's entries that a page looks through, from the last one of the page before. */
const ENTRIES = 4_000;
const MAX_REVISION = Number.MAX_SAFE_INTEGER;

const ENTRY = 'c.rupa_id, c.source, c.granted_at, c.last_accessed_at, c.access_count';

/**
 * The wallet revision of a consent's latest lookup as the first page saw it, which was made at revision $4. Lookups since then move the
 * consent in the roster, but not in the pages that follow. The expression for `rupa_id` keeps PostgreSQL from reading other partners' lookups
 * of the farmer, of which there may be any number.
 */
const SEEN = `case when c.last_revision <= $4::bigint then c.last_revision else coalesce((
    select p.revision from read.wallet_entry p
    where p.partner_id = $1 and p.revision between c.granted_revision and $4 and p.type = 'WalletDebited' and p.rupa_id || '' = c.rupa_id
    order by p.revision desc limit 1), c.granted_revision) end`;

/**
 * Selects the consents of the lookups before revision $3, newest first. Consents that are not selected were all accessed earlier. `offset 0`
 * makes PostgreSQL find each consent by its key.
 */
const BY_LOOKUPS = `select ${ENTRY}, e.revision as position
  from (select revision, rupa_id, type from read.wallet_entry where partner_id = $1 and revision < $3 order by revision desc limit ${ENTRIES}) e
  cross join lateral (
    select c.* from read.consent_roster c
    where c.partner_id = $1 and c.rupa_id = e.rupa_id and e.type = 'WalletDebited' and c.granted_revision <= e.revision offset 0) c
  where e.revision = ${SEEN}
  order by e.revision desc limit $2`;

const ALL = `select ${ENTRY}, c.seen as position
  from (select c.*, ${SEEN} as seen from read.consent_roster c where c.partner_id = $1 and c.granted_revision <= $4) c
  where c.seen < $3 order by c.seen desc limit $2`;

/** The position before which the page begins, and the wallet revision of the first page. Neither moves when a farmer is looked up. */
const CURSORS = new Cursors('consents', 'integer', 'integer');

interface Row extends RosterEntry {
  readonly position: number;
}

/**
 * Returns a page of the roster, most recently accessed first. The first page shows every lookup that the partner has received a response to.
 * The pages after it list the other consents of that moment, in the order of that moment: a farmer who is looked up while a partner pages
 * keeps its place, and appears neither twice nor never.
 * @throws ValidationFailed if the cursor is malformed
 */
export class GetRoster extends Query<Page<RosterEntry>> {
  constructor(
    readonly partnerId: string,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

@QueryHandler(GetRoster)
export class GetRosterHandler implements IQueryHandler<GetRoster> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, limit, cursor }: GetRoster): Promise<Page<RosterEntry>> {
    const [before = MAX_REVISION, asOf = MAX_REVISION] = CURSORS.position(cursor) ?? [];
    await this.readModels.waitForStream(walletStreamOf(partnerId));
    const rows = await this.rows([partnerId, limit + 1, before, asOf]);
    const newest = rows[0]?.position ?? MAX_REVISION;
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ position }) => [position, cursor === undefined ? newest : asOf]);
    return { items: items.map(({ position: _, ...entry }) => entry), next_cursor };
  }

  private async rows(values: readonly unknown[]): Promise<readonly Row[]> {
    const [, count] = values;
    // The roster has no index by access time, because every lookup would have to update it (consent-roster.projection.ts). The wallet's
    // entries are in that order already.
    const { rows } = await this.pool.query<Row>(BY_LOOKUPS, [...values]);
    return rows.length === count ? rows : (await this.pool.query<Row>(ALL, [...values])).rows;
  }
}
