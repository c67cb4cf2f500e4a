import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Cursors, type Page } from '../../http/paging.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { POOL } from '../../platform/injection-tokens.js';
import { walletStreamOf } from '../wallet/domain/events.js';
import { type RosterEntry } from './consents.dto.js';

/** Number of the wallet's newest entries that are searched for recent lookups. */
const NEWEST_ENTRIES = 4_000;

const ENTRY = 'c.rupa_id, c.source, c.granted_at, c.last_accessed_at, c.access_count';
const LATEST_FIRST = 'order by c.last_accessed_at desc, c.rupa_id';

/** Selects the consents of recent lookups. Consents that are not selected were all accessed earlier. */
const RECENTLY_ACCESSED = `select ${ENTRY}
  from (select distinct e.rupa_id from (
    select rupa_id, type from read.wallet_entry where partner_id = $1 order by revision desc limit ${NEWEST_ENTRIES}) e where e.type = 'WalletDebited') d
  join read.consent_roster c on c.partner_id = $1 and c.rupa_id = d.rupa_id
  ${LATEST_FIRST} limit $2`;

const ALL = `select ${ENTRY} from read.consent_roster c
  where c.partner_id = $1 and ($3::timestamptz is null or c.last_accessed_at < $3 or (c.last_accessed_at = $3 and c.rupa_id > $4))
  ${LATEST_FIRST} limit $2`;

const CURSORS = new Cursors('consents', 'time', 'text');

/**
 * Returns a page of the roster, most recently accessed first. It shows every lookup that the partner has received a response to. A farmer
 * who is looked up while a partner pages moves to the beginning, and no other entry repeats or is hidden by that.
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
    @Inject(POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, limit, cursor }: GetRoster): Promise<Page<RosterEntry>> {
    const [accessedAt, rupaId] = CURSORS.position(cursor) ?? [];
    await this.readModels.waitForStream(walletStreamOf(partnerId));
    const rows =
      accessedAt === undefined ? await this.firstRows(partnerId, limit + 1) : await this.rows([partnerId, limit + 1, accessedAt, rupaId]);
    return CURSORS.page(rows, limit, ({ last_accessed_at, rupa_id }) => [last_accessed_at, rupa_id]);
  }

  private async firstRows(partnerId: string, count: number): Promise<RosterEntry[]> {
    // The roster has no index by access time, because every lookup would have to update it (consent-roster.projection.ts). The wallet's
    // entries are in that order already.
    const { rows: latest } = await this.pool.query<RosterEntry>(RECENTLY_ACCESSED, [partnerId, count]);
    return latest.length === count ? latest : await this.rows([partnerId, count, null, null]);
  }

  private async rows(values: readonly unknown[]): Promise<RosterEntry[]> {
    return (await this.pool.query<RosterEntry>(ALL, [...values])).rows;
  }
}
