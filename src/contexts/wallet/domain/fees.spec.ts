import { describe, expect, it } from '@jest/globals';
import { feeOf } from './fees.js';

describe('a fee', () => {
  it('is for a section or passed through to a provider', () => {
    expect(feeOf('svc_fee.identity')).toStrictEqual({ kind: 'section', section: 'identity' });
    expect(feeOf('passthrough.credit_bureau')).toStrictEqual({ kind: 'pass_through', provider: 'credit_bureau' });
  });

  it('of any other name is the service’s own', () => {
    expect(feeOf('tip')).toStrictEqual({ kind: 'section', section: 'tip' });
  });
});
