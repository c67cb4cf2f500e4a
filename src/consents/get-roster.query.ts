import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ReadModels } from '../infrastructure/read-models.js';
import { POOL } from '../infrastructure/tokens.js';

/** Interface 2.4. */
export interface RosterEntry {
  readonly rupa_id: string;
  readonly source: string;
  readonly granted_at: string;
  readonly last_accessed_at: string;
  readonly access_count: number;
}

/** Interface 4.4. */
const MAX_ENTRIES = 200;

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
    await this.readModels.showWallet(partnerId);
    const { rows } = await this.pool.query<RosterEntry>(
      `select rupa_id, source, granted_at, last_accessed_at, access_count from read.consent_roster
       where partner_id = $1 order by last_accessed_at desc, rupa_id limit $2`,
      [partnerId, MAX_ENTRIES],
    );
    return rows;
  }
}
