import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { tierCriteria } from '../../../../projections/farmer-profile/farmer-profile.reader.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { contributionProjection } from '../../../../projections/contribution/contribution.projection.js';
import { ReadYourWrites } from '../../../platform/projecting/in-memory/read-your-writes.js';
import { refuseSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { profileTier, type ProfileTier } from '../domain/profile-tier.js';
import { FarmerRejection } from '../domain/farmer.js';
import { farmerStreamOf } from '../domain/events.js';

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
    private readonly macs: RowMacs,
    private readonly writes: ReadYourWrites,
  ) {}

  async execute({ rupaId }: GetProfileTier): Promise<ProfileTier> {
    await this.writes.waitFor(`farmer ${rupaId}`, [contributionProjection.name]);
    await refuseSetAside(this.pool, [farmerStreamOf(rupaId)]);
    const row = await tierCriteria(this.pool, this.macs, rupaId);
    if (!row) throw new FarmerRejection('farmer_unknown');
    return profileTier(row, row);
  }
}
