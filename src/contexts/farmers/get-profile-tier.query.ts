import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { UnshownChanges } from '../../platform/projecting/unshown-changes.js';
import { refuseSetAside } from '../../platform/unusable-events/unusable-table.js';
import { profileTier, type ProfileTier, RECORD_CRITERIA, type RecordCriteria, type ReportedCriteria } from './domain/profile-tier.js';
import { FarmerRejection } from './domain/rejections.js';

/** Returns whether lookups of the farmer show a report of that activity. Those of a test farmer show its sample reports only. */
function hasReports(activity: string, samples: string): string {
  return `case when f.test is null then exists (select from read.contribution c where c.rupa_id = f.rupa_id and c.event = '${activity}')
    else f.test->'reports'->'${samples}'->0 is not null end`;
}

/** {@link ReportedCriteria} as SQL columns. The query has to alias read.farmer_profile as `f`. */
export const REPORTED_CRITERIA = `${hasReports('harvest_record', 'harvests')} as has_harvest,
  ${hasReports('input_purchase', 'input_purchases')} as has_input_purchase`;

/** Returns a farmer's profile tier. Raises Rejection `farmer_unknown` if the farmer is unknown or erased. */
export class GetProfileTier extends Query<ProfileTier> {
  constructor(readonly rupaId: string) {
    super();
  }
}

@QueryHandler(GetProfileTier)
export class GetProfileTierHandler implements IQueryHandler<GetProfileTier> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly unshown: UnshownChanges,
  ) {}

  async execute({ rupaId }: GetProfileTier): Promise<ProfileTier> {
    await this.unshown.waitFor(`farmer ${rupaId}`);
    await refuseSetAside(this.pool, [`farmer-${rupaId}`]);
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
