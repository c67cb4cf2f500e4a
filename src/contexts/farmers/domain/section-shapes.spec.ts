import { describe, expect, it } from '@jest/globals';
import { shapedSection } from './section-shapes.js';

const at = '2026-01-01';

describe('a section in the interface’s shape', () => {
  it('has every field in the interface’s order, with `data_as_of` last', () => {
    const shape = shapedSection('bvn_nin_data', { overall_confidence: 'high', nin: { verified: true } }, at);
    expect(shape).toStrictEqual({
      bvn: { verified: false, verified_at: null, masked: null, name_match: false, dob_match: false },
      nin: { verified: true, masked: null, cross_matched_with_bvn: false },
      verification_source: 'none',
      overall_confidence: 'high',
      data_as_of: at,
    });
    expect(Object.keys(shape)).toStrictEqual(['bvn', 'nin', 'verification_source', 'overall_confidence', 'data_as_of']);
  });

  it('treats null as not sent if the interface does not allow null', () => {
    expect(shapedSection('identity', { country: null, first_name: null, agent_enrolled: null }, at)).toMatchObject({
      country: 'NG',
      first_name: null,
      agent_enrolled: false,
    });
    expect(shapedSection('farms', { farms: [{ farm_id: 'F1', name: null, crops: null }] }, at)).toMatchObject({
      farms: [{ farm_id: 'F1', name: null, crops: [], gps_verified: false }],
    });
    expect(shapedSection('farms', { farms: null }, at)).toMatchObject({ farms: [], harvests: [] });
  });

  it('sums what is outstanding in naira exactly', () => {
    const loan = { loan_id: 'L', amount: 1, disbursed_at: at, status: 'active' };
    const owed = [
      { ...loan, currency: 'NGN', outstanding: 0.1 },
      { ...loan, currency: 'NGN', outstanding: 0.2 },
      { ...loan, currency: 'USD', outstanding: 5 },
    ];
    expect(shapedSection('outstanding_loans', { svc_loans: owed }, at)).toMatchObject({
      total_outstanding: 0.3,
      svc_loans: [{ due_at: null }, { due_at: null }, { due_at: null }],
    });
  });
});
