import { ceilProduct } from '../../../kernel/exact-decimal.js';

/** The options of compliance, which the application provides. */
export abstract class ComplianceOptions {
  /** Reports that a partner is expected to make for each lookup; above 0. */
  abstract readonly complianceRatio: number;
}

export interface Compliance {
  readonly lookups: number;
  readonly contributions_expected: number;
  readonly contributions_received: number;
  readonly compliance_rate: number;
}

/** Computes a partner's compliance (decisions, "Contributions"). The rate is 1 if no contributions are expected. */
export function compliance(lookups: number, received: number, ratio: number): Compliance {
  const expected = ceilProduct(lookups, ratio);
  return {
    lookups,
    contributions_expected: expected,
    contributions_received: received,
    compliance_rate: expected === 0 ? 1 : received / expected,
  };
}
