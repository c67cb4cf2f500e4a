import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { POOL } from '../infrastructure/tokens.js';

interface Found {
  readonly mode: 'live' | 'sandbox';
}

/** Whether there is such a farmer; undefined also for an erased one. */
export class FindFarmer extends Query<Found | undefined> {
  constructor(readonly rupaId: string) {
    super();
  }
}

@QueryHandler(FindFarmer)
export class FindFarmerHandler implements IQueryHandler<FindFarmer> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ rupaId }: FindFarmer): Promise<Found | undefined> {
    const { rows } = await this.pool.query<Found>({
      name: 'find-farmer',
      text: 'select mode from read.farmer_profile where rupa_id = $1 and not erased',
      values: [rupaId],
    });
    return rows[0];
  }
}
