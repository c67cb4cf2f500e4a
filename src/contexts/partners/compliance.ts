/** Provided by the application. */
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

/** Decisions, "Contributions": a rate of 1 where nothing is expected. */
export function compliance(lookups: number, received: number, ratio: number): Compliance {
  const expected = Math.ceil(lookups * ratio);
  return {
    lookups,
    contributions_expected: expected,
    contributions_received: received,
    compliance_rate: expected === 0 ? 1 : received / expected,
  };
}
