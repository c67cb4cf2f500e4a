import { type DocumentedError, rejection } from '../../../http/openapi/errors.js';
import { Decimal, EXAMPLE, Flag, Nested, OneOf, RupaId, Schema } from '../../../http/openapi/properties.js';
import { type Mode, MODES } from '../../../kernel/accounts.js';
import { type ProfileTier, type TierCriteria } from '../domain/profile-tier.js';
import { HoldsSections } from './section-schemas.js';
import { farmerRejectionResponses } from '../rejection-responses.js';

export const FARMER_NOT_FOUND = rejection(
  farmerRejectionResponses.farmer_unknown,
  'FarmerNotFound',
  'No farmer has that Rupa ID. A partner gets the same response for a farmer of the other mode.',
);

export const FARMER_CONFLICT: DocumentedError = {
  name: 'FarmerConflict',
  codes: ['farmer_erased', 'conflict'],
  description:
    'The Rupa ID was erased, the mode differs from the one that the farmer was registered with, or the id is reserved for the test farmers of the sandbox.',
};

@Schema('TierCriteria')
class TierCriteriaView implements TierCriteria {
  @Flag() readonly bvn_verified: boolean;
  @Flag() readonly nin_verified: boolean;
  @Flag() readonly agent_enrolled: boolean;
  @Flag() readonly gps_farm: boolean;
  @Flag() readonly ndvi_present: boolean;
  @Flag() readonly harvest_history: boolean;
  @Flag() readonly phone_verified: boolean;
}

export class TierView implements ProfileTier {
  @OneOf(['bronze', 'silver', 'gold']) readonly profile_tier: ProfileTier['profile_tier'];
  @Decimal({ minimum: 0, maximum: 100 }) readonly profile_completeness: number;
  @Nested(TierCriteriaView) readonly tier_criteria: TierCriteria;
}

@HoldsSections()
@Schema('FarmerRecord', {
  rupa_id: EXAMPLE.registered,
  mode: 'live',
  phone_verified: true,
  identity: { full_name: 'Saater Kpamor', data_as_of: '2026-02-01' },
  profile_tier: 'bronze',
  profile_completeness: 10,
  tier_criteria: {
    bvn_verified: false,
    nin_verified: false,
    agent_enrolled: false,
    gps_farm: false,
    ndvi_present: false,
    harvest_history: false,
    phone_verified: true,
  },
})
export class FarmerRecordView extends TierView {
  @RupaId() readonly rupa_id: string;
  @OneOf(MODES) readonly mode: Mode;
  @Flag() readonly phone_verified: boolean;
}

@Schema('RecordedFarmer', { rupa_id: EXAMPLE.registered, created: true })
export class RecordedFarmer {
  @RupaId() readonly rupa_id: string;
  @Flag() readonly created: boolean;
}

@Schema('ErasedFarmer', { rupa_id: EXAMPLE.registered, erased: true })
export class ErasedFarmer {
  @RupaId() readonly rupa_id: string;
  @Flag('Always true.') readonly erased: true;
}
