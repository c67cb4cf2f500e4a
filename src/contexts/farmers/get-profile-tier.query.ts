import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { POOL } from '../../platform/injection-tokens.js';
import { profileTier, type ProfileTier, RECORD_CRITERIA, type RecordCriteria, type ReportedCriteria } from './domain/profile-tier.js';
import { FarmerRejection } from './domain/rejections.js';

/** {@link ReportedCriteria} as SQL columns. The query has to alias read.farmer_profile as `f`. */
export const REPORTED_CRITERIA = `exists (select from read.contribution h where h.rupa_id = f.rupa_id and h.event = 'harvest_record') as has_harvest,
  exists (select from read.contribution i where i.rupa_id = f.rupa_id and i.event = 'input_purchase') as has_input_purchase`;

/** Returns a farmer's profile tier. Raises Rejection `farmer_unknown` if the farmer is unknown or erased. */
export class GetProfileTier extends Query<ProfileTier> {
  constructor(readonly rupaId: string) {
    super();
  }
}

@QueryHandler(GetProfileTier)
export class GetProfileTierHandler implements IQueryHandler<GetProfileTier> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ rupaId }: GetProfileTier): Promise<ProfileTier> {
    const { rows } = await this.pool.query<RecordCriteria & ReportedCriteria>(
      `select ${RECORD_CRITERIA.map((criterion) => `f.${criterion}`).join(', ')}, ${REPORTED_CRITERIA}
       from read.farmer_profile f where f.rupa_id = $1 and not f.erased`,
      [rupaId],
    );
    const [row] = rows;
    if (!row) throw new FarmerRejection('farmer_unknown');
    return profileTier(row, row);
  }
}
