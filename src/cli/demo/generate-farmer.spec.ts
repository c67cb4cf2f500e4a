import { describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { SECTIONS } from '../../kernel/section-names.js';
import { criteriaOf, profileTier, type RecordCriteria } from '../../contexts/farmers/domain/profile-tier.js';
import { FarmerDto, ImportFarmerDto, recordOf } from '../../contexts/farmers/recording/farmer-record.dto.js';
import { sampleSection } from '../../contexts/farmers/recording/field-kinds.js';
import { validateBody } from '../../http/validating/validation.js';
import { generateFarmer, rupaIdOf } from './generate-farmer.js';
import { PLACES } from './places.js';
import { random } from './random.js';

const farmers = Array.from({ length: 1_000 }, (_, index) => generateFarmer(1, index, 'sandbox'));

describe('generated farmers', () => {
  it('are the same for the same seed and index, in any order', () => {
    expect(generateFarmer(1, 500, 'sandbox')).toStrictEqual(farmers[500]);
    expect(generateFarmer(2, 500, 'sandbox')).not.toStrictEqual(farmers[500]);
  });

  it('have unique Rupa IDs', () => {
    const ids = [1, 2].flatMap((seed) => Array.from({ length: 20_000 }, (_, index) => rupaIdOf(seed, index)));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^rp-[a-z0-9]{8}$/.test(id))).toBe(true);
  });

  it('are accepted by the import unchanged', () => {
    for (const farmer of farmers) {
      const { rupa_id, mode, ...record } = farmer;
      const taken = validateBody(ImportFarmerDto, JSON.parse(JSON.stringify(farmer)));
      expect([taken.rupa_id, taken.mode, recordOf(taken)]).toStrictEqual([rupa_id, mode, record]);
    }
  });

  it('live in local government areas that exist', () => {
    expect(PLACES).toHaveLength(37);
    for (const { identity } of farmers) expect(PLACES.find(({ state }) => state === identity?.state)?.lgas).toContain(identity?.lga);
  });

  it('cover every tier and section, and lack some sections', () => {
    const met = (farmer: (typeof farmers)[number]) =>
      Object.assign(
        { phone_verified: farmer.phone_verified },
        ...SECTIONS.map((section) => criteriaOf(section, farmer[section] ?? {})),
      ) as RecordCriteria;
    const tiers = farmers.map((farmer) => profileTier(met(farmer), { has_harvest: false, has_input_purchase: false }).profile_tier);
    for (const tier of ['bronze', 'silver', 'gold'] as const) expect(tiers.filter((each) => each === tier).length).toBeGreaterThan(50);
    for (const section of SECTIONS.filter((each) => each !== 'identity')) {
      const count = farmers.filter((farmer) => farmer[section] !== undefined).length;
      expect(count).toBeGreaterThan(100);
      expect(count).toBeLessThan(1_000);
    }
    expect(farmers.some(({ credit_history }) => credit_history?.bureau != null)).toBe(true);
  });
});

describe('a section that is derived from its class', () => {
  it.each(SECTIONS)('is a valid %s, and the same for the same seed', (section) => {
    for (let index = 0; index < 50; index += 1) {
      const content = sampleSection(random(1, index), section);
      expect(recordOf(validateBody(FarmerDto, { [section]: content }))).toStrictEqual({ [section]: content });
      expect(sampleSection(random(1, index), section)).toStrictEqual(content);
    }
  });
});
