import { DataKeyDestroyed } from '../../platform/key-store/data-keys.js';
import { type RejectionResponses } from '../../http/error-responses.js';
import { FarmerRejection, type FarmerRejectionCode } from './domain/rejections.js';

/** Interface 7, to the letter, and admin.md. */
export const farmerRejectionResponses: RejectionResponses<FarmerRejectionCode> = {
  farmer_unknown: { status: 404, message: 'No farmer found for that Rupa ID.' },
  farmer_erased: { status: 409, message: 'This Rupa ID was erased and cannot be registered again.' },
  farmer_mode_fixed: { status: 409, message: 'The mode of a farmer is fixed at registration.' },
};

/** Whoever needs a key that an erasure destroyed is told of the erasure. */
export function destroyedKeyIsErasure(error: unknown): InstanceType<typeof FarmerRejection> | undefined {
  return error instanceof DataKeyDestroyed ? new FarmerRejection('farmer_erased') : undefined;
}
