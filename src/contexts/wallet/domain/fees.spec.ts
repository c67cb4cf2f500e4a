import { describe, expect, it } from '@jest/globals';
import { feeOf } from './fees.js';

describe('a fee', () => {
  it('belongs to a section or is passed through to a provider', () => {
    expect(feeOf('svc_fee.identity')).toStrictEqual({ kind: 'section', section: 'identity' });
    expect(feeOf('passthrough.credit_bureau')).toStrictEqual({ kind: 'pass_through', provider: 'credit_bureau' });
  });

  it('belongs to the service if its key has no known prefix', () => {
    expect(feeOf('tip')).toStrictEqual({ kind: 'section', section: 'tip' });
  });
});
