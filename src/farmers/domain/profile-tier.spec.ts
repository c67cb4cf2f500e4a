import { describe, expect, it } from '@jest/globals';
import { type FarmerRecord } from './farmer-record.js';
import { profileTier } from './profile-tier.js';

const none = { has_harvest: false, has_input_purchase: false };
const inputs = { ...none, has_input_purchase: true };
const full: FarmerRecord = {
  phone_verified: true,
  identity: { agent_enrolled: true },
  bvn_nin_data: { bvn: { verified: true }, nin: { verified: true } },
  farms: { farms: [{ farm_id: 'a' }, { farm_id: 'b', gps_verified: true, ndvi: 0 }] },
};

describe('the profile tier', () => {
  it('counts what is known of a farmer', () => {
    expect(profileTier({ phone_verified: false }, none)).toMatchObject({ profile_tier: 'bronze', profile_completeness: 0 });
    expect(profileTier(full, none)).toStrictEqual({
      profile_tier: 'gold',
      profile_completeness: 85,
      tier_criteria: { bvn_verified: true, nin_verified: true, agent_enrolled: true, gps_farm: true, ndvi_present: true, harvest_history: false, phone_verified: true },
    });
  });

  it('reaches a hundred with what partners report', () => {
    expect(profileTier(full, { ...none, has_harvest: true })).toMatchObject({ profile_completeness: 95, tier_criteria: { harvest_history: true } });
    expect(profileTier(full, { has_harvest: true, has_input_purchase: true }).profile_completeness).toBe(100);
  });

  it('is silver from 50 and gold from 80', () => {
    const silver: FarmerRecord = { phone_verified: true, bvn_nin_data: { bvn: { verified: true }, nin: { verified: true } } };
    expect(profileTier(silver, none)).toMatchObject({ profile_tier: 'silver', profile_completeness: 50 });
    expect(profileTier({ ...silver, phone_verified: false }, inputs)).toMatchObject({ profile_tier: 'bronze', profile_completeness: 45 });
    expect(profileTier({ ...full, phone_verified: false }, inputs)).toMatchObject({ profile_tier: 'gold', profile_completeness: 80 });
    expect(profileTier({ ...full, phone_verified: false }, none)).toMatchObject({ profile_tier: 'silver', profile_completeness: 75 });
  });
});
