import { describe, expect, it } from '@jest/globals';
import { compliance } from './get-compliance.query.js';

describe('compliance', () => {
  it('has a rate of 1 if no contributions are expected', () => {
    expect(compliance(0, 0, 1)).toStrictEqual({ lookups: 0, contributions_expected: 0, contributions_received: 0, compliance_rate: 1 });
  });

  it('expects the ratio’s share of the lookups, rounded up', () => {
    expect(compliance(5, 1, 0.5)).toStrictEqual({
      lookups: 5,
      contributions_expected: 3,
      contributions_received: 1,
      compliance_rate: 1 / 3,
    });
  });

  it('expects no report more than the decimal ratio asks for', () => {
    expect(compliance(25, 0, 0.28).contributions_expected).toBe(7);
  });
});
