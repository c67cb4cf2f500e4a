import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { type FarmerProfileRow } from '../../projections/farmer-profile/farmer-profile.projection.js';
import { Refusal } from '../event-sourcing/decider.js';
import { POOL } from '../infrastructure/tokens.js';
import { type FarmerRecord, recordFromParts, SECTIONS } from './domain/farmer-record.js';
import { profileTier, type ProfileTier, type ReportedCriteria } from './domain/profile-tier.js';

export interface FarmerView {
  readonly rupa_id: string;
  readonly mode: 'live' | 'sandbox';
  readonly record: Partial<FarmerRecord>;
  readonly tier: ProfileTier;
}

/** {@link ReportedCriteria} as columns, where `f` is the farmer's profile. */
export const REPORTED_CRITERIA = `exists (select from read.contribution h where h.rupa_id = f.rupa_id and h.event = 'harvest_record') as has_harvest,
  exists (select from read.contribution i where i.rupa_id = f.rupa_id and i.event = 'input_purchase') as has_input_purchase`;

/** The record as the service holds it. Raises Refusal `farmer_unknown`, also for an erased one. */
export class GetFarmer extends Query<FarmerView> {
  constructor(readonly rupaId: string) {
    super();
  }
}

@QueryHandler(GetFarmer)
export class GetFarmerHandler implements IQueryHandler<GetFarmer> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ rupaId }: GetFarmer): Promise<FarmerView> {
    const { rows } = await this.pool.query<FarmerProfileRow & ReportedCriteria>(
      `select f.rupa_id, f.mode, f.erased, f.phone_verified, ${SECTIONS.map((section) => `f.${section}`).join(', ')},
              ${REPORTED_CRITERIA}
       from read.farmer_profile f where f.rupa_id = $1 and not f.erased`,
      [rupaId],
    );
    const [row] = rows;
    if (!row) throw new Refusal('farmer_unknown');
    const record = recordFromParts(row);
    return { rupa_id: row.rupa_id, mode: row.mode, record, tier: profileTier(record, row) };
  }
}
