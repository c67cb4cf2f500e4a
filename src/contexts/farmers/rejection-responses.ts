import { DataKeyDestroyed } from '../../platform/key-store/data-keys.js';
import { type RejectionResponses } from '../../http/errors/error-responses.js';
import { FarmerRejection, type FarmerRejectionCode } from './domain/farmer.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const farmerRejectionResponses: RejectionResponses<FarmerRejectionCode> = {
  farmer_unknown: { code: 'farmer_not_found' },
  farmer_erased: { code: 'farmer_erased' },
  farmer_mode_fixed: { code: 'conflict', message: 'The mode of a farmer is fixed at registration.' },
  test_farmer: {
    code: 'conflict',
    message:
      'Rupa IDs that begin with rp-test- are reserved for the test farmers of the sandbox, which cannot be registered, changed or erased. Use another Rupa ID.',
  },
};

/** Translates a destroyed data key into rejection `farmer_erased`, because only an erasure destroys keys. */
export function destroyedKeyIsErasure(error: unknown): InstanceType<typeof FarmerRejection> | undefined {
  return error instanceof DataKeyDestroyed ? new FarmerRejection('farmer_erased') : undefined;
}
