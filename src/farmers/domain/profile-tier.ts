import { type FarmerRecord } from './farmer-record.js';

export interface TierCriteria {
  readonly bvn_verified: boolean;
  readonly nin_verified: boolean;
  readonly agent_enrolled: boolean;
  readonly gps_farm: boolean;
  readonly ndvi_present: boolean;
  readonly harvest_history: boolean;
  readonly phone_verified: boolean;
}

export interface ProfileTier {
  readonly profile_tier: 'bronze' | 'silver' | 'gold';
  /** 0–100. */
  readonly profile_completeness: number;
  readonly tier_criteria: TierCriteria;
}

const WEIGHTS: Readonly<Record<keyof TierCriteria, number>> = {
  bvn_verified: 20,
  nin_verified: 20,
  agent_enrolled: 10,
  gps_farm: 15,
  ndvi_present: 10,
  harvest_history: 10,
  phone_verified: 10,
};
const INPUT_PURCHASE_WEIGHT = 5;
const GOLD = 80;
const SILVER = 50;

/** What of the tier partners' reports decide. */
export interface ReportedCriteria {
  readonly has_harvest: boolean;
  readonly has_input_purchase: boolean;
}

/** How rich a farmer's data is, by the record and by what partners reported. Decisions, "Profile tier". */
export function profileTier(record: FarmerRecord, { has_harvest, has_input_purchase }: ReportedCriteria): ProfileTier {
  const farms = record.farms?.farms ?? [];
  const tier_criteria: TierCriteria = {
    bvn_verified: record.bvn_nin_data?.bvn?.verified ?? false,
    nin_verified: record.bvn_nin_data?.nin?.verified ?? false,
    agent_enrolled: record.identity?.agent_enrolled ?? false,
    gps_farm: farms.some(({ gps_verified }) => gps_verified === true),
    ndvi_present: farms.some(({ ndvi }) => ndvi != null),
    harvest_history: has_harvest,
    phone_verified: record.phone_verified,
  };
  const met = Object.entries(WEIGHTS).filter(([criterion]) => tier_criteria[criterion as keyof TierCriteria]);
  const profile_completeness = met.reduce((sum, [, weight]) => sum + weight, has_input_purchase ? INPUT_PURCHASE_WEIGHT : 0);
  const profile_tier = profile_completeness >= GOLD ? 'gold' : profile_completeness >= SILVER ? 'silver' : 'bronze';
  return { profile_tier, profile_completeness, tier_criteria };
}
