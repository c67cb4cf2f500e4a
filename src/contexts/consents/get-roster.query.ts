import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { POOL } from '../../platform/injection-tokens.js';
import { walletStreamOf } from '../wallet/domain/events.js';
import { MAX_ENTRIES, type RosterEntry } from './consents.dto.js';

/** Of the wallet's newest entries so many are looked through for the latest lookups. */
const NEWEST_ENTRIES = 4_000;

const ENTRY = 'c.rupa_id, c.source, c.granted_at, c.last_accessed_at, c.access_count';
const LATEST_FIRST = 'order by c.last_accessed_at desc, c.rupa_id';

/** Those that were looked up lately: all of the others were before them. */
const LATELY_ACCESSED = `select ${ENTRY}
  from (select distinct e.rupa_id from (
    select rupa_id, type from read.wallet_entry where partner_id = $1 order by revision desc limit ${NEWEST_ENTRIES}) e where e.type = 'WalletDebited') d
  join read.consent_roster c on c.partner_id = $1 and c.rupa_id = d.rupa_id
  ${LATEST_FIRST} limit ${MAX_ENTRIES}`;

const ALL = `select ${ENTRY} from read.consent_roster c where c.partner_id = $1 ${LATEST_FIRST} limit ${MAX_ENTRIES}`;

/** Most recently accessed first; shows everything that the partner was answered before. */
export class GetRoster extends Query<RosterEntry[]> {
  constructor(readonly partnerId: string) {
    super();
  }
}

@QueryHandler(GetRoster)
export class GetRosterHandler implements IQueryHandler<GetRoster> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId }: GetRoster): Promise<RosterEntry[]> {
    await this.readModels.waitForStream(walletStreamOf(partnerId));
    // A roster has no index by time of access, which each lookup would have to keep (consent-roster.projection.ts); a wallet's entries are in that order.
    const { rows: latest } = await this.pool.query<RosterEntry>(LATELY_ACCESSED, [partnerId]);
    if (latest.length === MAX_ENTRIES) return latest;
    return (await this.pool.query<RosterEntry>(ALL, [partnerId])).rows;
  }
}
