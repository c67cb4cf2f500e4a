import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { FARMER_STREAMS, FarmerRejection, recordFrom } from '../domain/farmer.js';
import { type FarmerRecord } from '../domain/sections.js';
import { type ProfileTier } from '../domain/profile-tier.js';
import { GetProfileTier, GetProfileTierHandler } from '../profile/get-profile-tier.query.js';
import { type FarmerRecordView } from './farmer-responses.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

export interface FarmerView {
  readonly rupa_id: string;
  readonly mode: 'live' | 'sandbox';
  readonly record: FarmerRecord;
  readonly tier: ProfileTier;
}

/** Returns a farmer's record as the API shows it. */
export function farmerRecordView({ rupa_id, mode, record, tier }: FarmerView): FarmerRecordView {
  return { rupa_id, mode, ...record, ...tier };
}

/**
 * Returns a farmer's record as administrators sent it. It is read from the event log, because the read models hold it in the shape that
 * lookups show. Raises Rejection `farmer_unknown` if the farmer is unknown or erased.
 */
export class GetFarmer extends Query<FarmerView> {
  constructor(readonly rupaId: string) {
    super();
  }
}

@QueryHandler(GetFarmer)
export class GetFarmerHandler implements IQueryHandler<GetFarmer> {
  constructor(
    private readonly streams: Streams,
    private readonly tiers: GetProfileTierHandler,
  ) {}

  async execute({ rupaId }: GetFarmer): Promise<FarmerView> {
    const tier = await this.tiers.execute(new GetProfileTier(rupaId));
    const { state } = await this.streams.of(FARMER_STREAMS).load(rupaId);
    if (state.status !== 'registered') throw new FarmerRejection('farmer_unknown');
    return { rupa_id: rupaId, mode: state.mode, record: recordFrom(state.parts), tier };
  }
}
