import { describe, expect, it } from '@jest/globals';
import { criteriaOf, profileTier, RECORD_CRITERIA, type RecordCriteria } from './profile-tier.js';

const none = { has_harvest: false, has_input_purchase: false };
const inputs = { ...none, has_input_purchase: true };
const [nothing, full] = [false, true].map((met) => Object.fromEntries(RECORD_CRITERIA.map((criterion) => [criterion, met]))) as [
  RecordCriteria,
  RecordCriteria,
];

describe('the profile tier', () => {
  it('depends on the criteria that the record meets', () => {
    expect(profileTier(nothing, none)).toMatchObject({ profile_tier: 'bronze', profile_completeness: 0 });
    expect(profileTier(full, none)).toStrictEqual({
      profile_tier: 'gold',
      profile_completeness: 85,
      tier_criteria: { ...full, harvest_history: false },
    });
  });

  it('reaches 100 % completeness with partners’ reports', () => {
    expect(profileTier(full, { ...none, has_harvest: true })).toMatchObject({
      profile_completeness: 95,
      tier_criteria: { harvest_history: true },
    });
    expect(profileTier(full, { has_harvest: true, has_input_purchase: true }).profile_completeness).toBe(100);
  });

  it('is silver from 50 and gold from 80', () => {
    const silver = { ...nothing, phone_verified: true, bvn_verified: true, nin_verified: true };
    expect(profileTier(silver, none)).toMatchObject({ profile_tier: 'silver', profile_completeness: 50 });
    expect(profileTier({ ...silver, phone_verified: false }, inputs)).toMatchObject({ profile_tier: 'bronze', profile_completeness: 45 });
    expect(profileTier({ ...full, phone_verified: false }, inputs)).toMatchObject({ profile_tier: 'gold', profile_completeness: 80 });
    expect(profileTier({ ...full, phone_verified: false }, none)).toMatchObject({ profile_tier: 'silver', profile_completeness: 75 });
  });
});

describe('the tier criteria', () => {
  it('depend on the content of the sections', () => {
    expect(criteriaOf('identity', { agent_enrolled: true })).toStrictEqual({ agent_enrolled: true });
    expect(criteriaOf('bvn_nin_data', { bvn: { verified: true } })).toStrictEqual({ bvn_verified: true, nin_verified: false });
    expect(criteriaOf('farms', { farms: [{ farm_id: 'a' }, { farm_id: 'b', gps_verified: true, ndvi: 0 }] })).toStrictEqual({
      gps_farm: true,
      ndvi_present: true,
    });
    expect(criteriaOf('wallet', { balance: 1 })).toStrictEqual({});
  });

  it.each([
    {},
    { agent_enrolled: null, bvn: null, nin: { verified: null }, farms: null },
    { farms: [{ farm_id: 'a', gps_verified: null, ndvi: null }] },
  ])('are not met by %j', (held) => {
    const met = ['identity', 'bvn_nin_data', 'farms'].map((section) => criteriaOf(section as 'farms', held));
    expect(Object.assign({}, ...met)).toStrictEqual({
      agent_enrolled: false,
      bvn_verified: false,
      nin_verified: false,
      gps_farm: false,
      ndvi_present: false,
    });
  });
});
