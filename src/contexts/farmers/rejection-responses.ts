import { DataKeyDestroyed } from '../../platform/key-store/data-keys.js';
import { type RejectionResponses } from '../../http/error-responses.js';
import { FarmerRejection, type FarmerRejectionCode } from './domain/rejections.js';

/** Statuses and messages as the specification fixes them (interface, section 7; admin.md). */
export const farmerRejectionResponses: RejectionResponses<FarmerRejectionCode> = {
  farmer_unknown: { status: 404, message: 'No farmer found for that Rupa ID.' },
  farmer_erased: { status: 409, message: 'This Rupa ID was erased and cannot be registered again.' },
  farmer_mode_fixed: { status: 409, message: 'The mode of a farmer is fixed at registration.' },
};

/** Translates a destroyed data key into rejection `farmer_erased`, because only an erasure destroys keys. */
export function destroyedKeyIsErasure(error: unknown): InstanceType<typeof FarmerRejection> | undefined {
  return error instanceof DataKeyDestroyed ? new FarmerRejection('farmer_erased') : undefined;
}
