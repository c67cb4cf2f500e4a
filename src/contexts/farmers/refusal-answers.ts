import { DataKeyDestroyed } from '../../platform/key-store/data-keys.js';
import { type RefusalAnswers } from '../../http/error-answers.js';
import { FarmerRefusal, type FarmerRefusalCode } from './domain/refusals.js';

/** Interface 7, to the letter, and admin.md. */
export const farmerRefusalAnswers: RefusalAnswers<FarmerRefusalCode> = {
  farmer_unknown: { status: 404, message: 'No farmer found for that Rupa ID.' },
  farmer_erased: { status: 409, message: 'This Rupa ID was erased and cannot be registered again.' },
  farmer_mode_fixed: { status: 409, message: 'The mode of a farmer is fixed at registration.' },
};

/** Whoever needs a key that an erasure destroyed is told of the erasure. */
export function destroyedKeyIsErasure(error: unknown): InstanceType<typeof FarmerRefusal> | undefined {
  return error instanceof DataKeyDestroyed ? new FarmerRefusal('farmer_erased') : undefined;
}
