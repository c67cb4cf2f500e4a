import { describe, expect, it } from '@jest/globals';
import { SECTIONS } from '../kernel/section-names.js';
import { nameOfPath, nameOfTerm } from './names.js';

describe('the name of a term for people', () => {
  it.each([
    ['identity', 'Identity'],
    ['bvn_nin_data', 'BVN and NIN'],
    ['svc_fee.bvn_nin_data', 'BVN and NIN'],
    ['svc_fee.credit_history', 'Credit history'],
    ['passthrough.nin', 'NIN check, passed on'],
    ['WalletDebited', 'Charge of a lookup'],
    ['PriceBookPublished', 'Price book published'],
    ['ApiKeyIssued', 'API key issued'],
    ['farmer.loan_added', 'Loan added'],
    ['account.low_balance', 'Low balance'],
    ['constructor', 'Constructor'],
  ])('of %s is %s', (term, name) => {
    expect(nameOfTerm(term)).toBe(name);
  });

  it('differs for every section', () => {
    expect(new Set(SECTIONS.map(nameOfTerm)).size).toBe(SECTIONS.length);
  });

  it('contains the names of the objects around a field', () => {
    expect(nameOfPath(['home', 'lga'])).toBe('Home: LGA');
  });
});
