import { Refusal } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type FarmerRefusalCode = 'farmer_unknown' | 'farmer_erased' | 'farmer_mode_fixed';
export const FarmerRefusal = Refusal<FarmerRefusalCode>;
