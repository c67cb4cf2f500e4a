import { type FarmerRecord } from './sections.js';
import { type Section } from '../../../kernel/section-names.js';

/** Criteria of the tier that depend on the farmer's record. */
export const RECORD_CRITERIA = ['bvn_verified', 'nin_verified', 'agent_enrolled', 'gps_farm', 'ndvi_present', 'phone_verified'] as const;
export type RecordCriteria = { readonly [Criterion in (typeof RECORD_CRITERIA)[number]]: boolean };

export interface TierCriteria extends RecordCriteria {
  readonly harvest_history: boolean;
}

export interface ProfileTier {
  readonly profile_tier: 'bronze' | 'silver' | 'gold';
  /** Percentage, 0–100. */
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

/** Criteria of the tier that depend on partners' reports. */
export interface ReportedCriteria {
  readonly has_harvest: boolean;
  readonly has_input_purchase: boolean;
}

type CriteriaOf<S extends Section> = (content: NonNullable<FarmerRecord[S]>) => Partial<RecordCriteria>;

const criteriaBySection: { readonly [S in Section]?: CriteriaOf<S> } = {
  identity: ({ agent_enrolled }) => ({ agent_enrolled: agent_enrolled ?? false }),
  bvn_nin_data: ({ bvn, nin }) => ({ bvn_verified: bvn?.verified ?? false, nin_verified: nin?.verified ?? false }),
  farms: ({ farms }) => ({
    gps_farm: farms?.some(({ gps_verified }) => gps_verified === true) ?? false,
    ndvi_present: farms?.some(({ ndvi }) => ndvi != null) ?? false,
  }),
};

/** Returns the criteria that depend on a section, from its recorded content. */
export function criteriaOf(section: Section, content: object): Partial<RecordCriteria> {
  return (criteriaBySection[section] as CriteriaOf<Section> | undefined)?.(content) ?? {};
}

/** Returns how complete a farmer's data is, by the record and by partners' reports (decisions, "Sections"). */
export function profileTier(record: RecordCriteria, { has_harvest, has_input_purchase }: ReportedCriteria): ProfileTier {
  const { bvn_verified, nin_verified, agent_enrolled, gps_farm, ndvi_present, phone_verified } = record;
  const tier_criteria: TierCriteria = {
    bvn_verified,
    nin_verified,
    agent_enrolled,
    gps_farm,
    ndvi_present,
    harvest_history: has_harvest,
    phone_verified,
  };
  const met = Object.entries(WEIGHTS).filter(([criterion]) => tier_criteria[criterion as keyof TierCriteria]);
  const profile_completeness = met.reduce((sum, [, weight]) => sum + weight, has_input_purchase ? INPUT_PURCHASE_WEIGHT : 0);
  const profile_tier = profile_completeness >= GOLD ? 'gold' : profile_completeness >= SILVER ? 'silver' : 'bronze';
  return { profile_tier, profile_completeness, tier_criteria };
}
