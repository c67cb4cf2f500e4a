import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyRecorded } from '../../../../test/support/unit/any-section.js';
import { validateBody } from '../../../http/validating/validation.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { FarmerDto, recordOf } from './farmer-record.dto.js';

function errorsOf(body: object): unknown {
  try {
    validateBody(FarmerDto, body);
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors;
    throw error;
  }
  return undefined;
}

describe('validating a section', () => {
  it.each(SECTIONS)('accepts a valid %s unchanged', (section) => {
    fc.assert(
      fc.property(anyRecorded(section), (content) => {
        expect(recordOf(validateBody(FarmerDto, { [section]: content }))).toStrictEqual({ [section]: content });
      }),
      { numRuns: 50 },
    );
  });

  it('ignores what is computed, and refuses unknown fields', () => {
    const outstanding_loans = { svc_loans: [], partner_loans: [], total_outstanding: 3, currency: 'NGN' };
    expect(recordOf(validateBody(FarmerDto, { outstanding_loans, profile_tier: 'gold' }))).toStrictEqual({
      outstanding_loans: { svc_loans: [] },
    });
    expect(Object.keys(errorsOf({ outstanding_loans: { ...outstanding_loans, colour: 'red' }, farm: {} }) as object)).toStrictEqual([
      'outstanding_loans.colour',
      'farm',
    ]);
  });

  it('reports each invalid field by its path, down to the items of lists', () => {
    expect(
      errorsOf({
        identity: { kyc_status: 'unknown', full_name: 'x'.repeat(256), date_of_birth: '2026-02-30' },
        credit_history: { credit_score: 1001, repayment_record: [{ paid_at: 'soon', amount: -1, status: 'paid' }], bureau: 3 },
        transaction_volume: { sources: ['elsewhere'], summary: {} },
        farms: { farms: [{ farm_id: 'F1', latitude: 91, crops: ['maize', 5] }] },
      }),
    ).toStrictEqual({
      'identity.kyc_status': ['The identity.kyc status field must be one of pending, in_review, verified, rejected, expired.'],
      'identity.full_name': ['The identity.full name field must not be greater than 255 characters.'],
      'identity.date_of_birth': ['The identity.date of birth field must be an ISO 8601 date or timestamp.'],
      'credit_history.credit_score': ['The credit history.credit score field must not be greater than 1000.'],
      'credit_history.repayment_record.0.due_at': ['The credit history.repayment record.0.due at field is required.'],
      'credit_history.repayment_record.0.paid_at': [
        'The credit history.repayment record.0.paid at field must be an ISO 8601 date or timestamp.',
      ],
      'credit_history.repayment_record.0.amount': ['The credit history.repayment record.0.amount field must be at least 0.'],
      'credit_history.bureau': ['The credit history.bureau field must be an object.'],
      'transaction_volume.sources.0': ['The transaction volume.sources.0 field must be one of svc_platform, partner_network.'],
      'transaction_volume.summary.last_30_days': ['The transaction volume.summary.last 30 days field is required.'],
      'transaction_volume.summary.last_90_days': ['The transaction volume.summary.last 90 days field is required.'],
      'transaction_volume.summary.last_12_months': ['The transaction volume.summary.last 12 months field is required.'],
      'farms.farms.0.latitude': ['The farms.farms.0.latitude field must not be greater than 90.'],
      'farms.farms.0.crops.1': ['The farms.farms.0.crops.1 field must be a string.'],
    });
  });
});
