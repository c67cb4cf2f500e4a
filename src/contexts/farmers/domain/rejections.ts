import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type FarmerRejectionCode = 'farmer_unknown' | 'farmer_erased' | 'farmer_mode_fixed';
export const FarmerRejection = Rejection<FarmerRejectionCode>;
