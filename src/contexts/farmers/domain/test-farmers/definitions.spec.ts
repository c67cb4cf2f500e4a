import { describe, expect, it } from '@jest/globals';
import { TEST_FARMER_TIERS } from '../../../../../test/support/unit/test-farmer-tiers.js';
import { farmerProfileProjection, type FarmerProfileRow } from '../../../../../projections/farmer-profile/farmer-profile.projection.js';
import { project, recorded } from '../../../../../test/support/unit/recorded.js';
import { SECTIONS } from '../../../../kernel/section-names.js';
import { farmerDecider } from '../farmer.js';
import { profileTier } from '../profile-tier.js';
import { DEFINITIONS_VERSION, FAILING_ON_PURPOSE, TEST_FARMERS, type TestFarmer } from './definitions.js';
import { isReservedForTests } from './test-farmer.js';

/** Returns the profile that lookups read, as the decider and the projection make it from the definition. */
function profileOf({ rupa_id, description, ...definition }: TestFarmer): FarmerProfileRow {
  const command = { kind: 'define-test-farmer' as const, rupa_id, version: DEFINITIONS_VERSION, definition, actor: 'sandbox' };
  const events = farmerDecider.decide({ ...command, at: '2026-11-21T10:00:00.000Z' }, farmerDecider.initialState);
  const [row] = project(farmerProfileProjection, recorded(events)) as FarmerProfileRow[];
  if (!row) throw new Error(`${rupa_id} has no profile.`);
  return row;
}

const farmer = (name: string): TestFarmer => {
  const found = TEST_FARMERS.find(({ rupa_id }) => rupa_id === `rp-test-${name}`);
  if (!found) throw new Error(`rp-test-${name} is not defined.`);
  return found;
};

const tierOf = (name: string) => {
  const { reports } = farmer(name);
  const reported = { has_harvest: reports.harvests.length > 0, has_input_purchase: reports.input_purchases.length > 0 };
  return profileTier(profileOf(farmer(name)), reported);
};

describe('the definitions of the test farmers', () => {
  it('are those of the specification, with reserved ids in the sandbox', () => {
    const names = [
      'gold',
      'silver',
      'bronze',
      'no-loans',
      'unverified',
      'bureau',
      'erased',
      'failing',
      'no-money',
      'limited',
      'busy',
      'slow',
    ];
    expect(TEST_FARMERS.map(({ rupa_id }) => rupa_id)).toStrictEqual(names.map((name) => `rp-test-${name}`));
    for (const each of TEST_FARMERS)
      expect([each.rupa_id, isReservedForTests(each.rupa_id), profileOf(each).mode]).toStrictEqual([each.rupa_id, true, 'sandbox']);
  });

  it.each([...TEST_FARMER_TIERS, ...['failing', 'no-money', 'limited', 'busy', 'slow'].map((name) => [name, 'silver', 60] as const)])(
    'give rp-test-%s the tier %s by the rules of every farmer',
    (name, profile_tier, profile_completeness) => {
      expect(tierOf(name)).toMatchObject({ profile_tier, profile_completeness });
    },
  );

  it.each(['gold', 'silver', 'bronze', 'no-loans', 'unverified', 'bureau', 'failing'])('give rp-test-%s every section', (name) => {
    const row = profileOf(farmer(name));
    for (const section of SECTIONS) expect([section, row[section]]).toStrictEqual([section, expect.any(Object)]);
  });

  it('verify nothing of rp-test-unverified', () => {
    expect(Object.values(tierOf('unverified').tier_criteria)).not.toContain(true);
    expect(profileOf(farmer('unverified'))).toMatchObject({
      identity: { kyc_status: 'pending', kyc_verified_at: null },
      bvn_nin_data: { bvn: { verified: false }, nin: { verified: false }, overall_confidence: 'low' },
      credit_history: { credit_score: null },
    });
  });

  it('give only rp-test-bureau a report of the credit bureau', () => {
    const withReport = TEST_FARMERS.filter((each) => profileOf(each).has_bureau_report).map(({ rupa_id }) => rupa_id);
    expect(withReport).toStrictEqual(['rp-test-bureau']);
  });

  it('let lookups of rp-test-failing and rp-test-busy alone get a 5xx, and erase only rp-test-erased', () => {
    expect([...FAILING_ON_PURPOSE]).toStrictEqual(['rp-test-failing', 'rp-test-busy']);
    expect(TEST_FARMERS.filter((each) => profileOf(each).erased).map(({ rupa_id }) => rupa_id)).toStrictEqual(['rp-test-erased']);
  });
});
