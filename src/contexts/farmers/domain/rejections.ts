import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type FarmerRejectionCode = 'farmer_unknown' | 'farmer_erased' | 'farmer_mode_fixed' | 'test_farmer';
export class FarmerRejection extends Rejection<FarmerRejectionCode> {}
