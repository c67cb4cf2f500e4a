import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { givenWallet } from '../../../../test/support/unit/given-wallet.js';
import { commandBase, credited, reversed } from '../../../../test/support/unit/wallet-decisions.js';
import { reversedDeductions } from './deductions.js';
import { walletDecider } from './wallet.js';
import { NOTHING_SEARCHED, searchedTo } from '../../../../test/support/unit/searched-entries.js';

const PAYMENT = { amount_kobo: 1_000_00, deductions: { bank_fee_kobo: 50_00, withheld_tax_kobo: 100_00 } };

describe('what a reversal takes back of a payment', () => {
  it.each([
    ['cash first', 0, 850_00, 0, 0],
    ['then the withheld tax', 850_00, 60_00, 60_00, 0],
    ['then the bank fee', 910_00, 90_00, 40_00, 50_00],
    ['all three of the whole payment', 0, 1_000_00, 100_00, 50_00],
  ])('is %s', (_what, before, reversed_kobo, withheld_tax_kobo, bank_fee_kobo) => {
    expect(reversedDeductions(PAYMENT, before, reversed_kobo)).toStrictEqual({ withheld_tax_kobo, bank_fee_kobo });
  });

  it('is the whole payment, part by part, whatever the parts', () => {
    const payments = fc.tuple(fc.nat(1_000), fc.nat(1_000), fc.integer({ min: 1, max: 1_000 }));
    fc.assert(
      fc.property(payments, fc.array(fc.nat(1_000)), ([bank_fee_kobo, withheld_tax_kobo, cash], cuts) => {
        const amount_kobo = bank_fee_kobo + withheld_tax_kobo + cash;
        const ends = [...cuts.map((cut) => cut % amount_kobo).toSorted((one, other) => one - other), amount_kobo];
        let before = 0;
        const sums = { bank_fee_kobo: 0, withheld_tax_kobo: 0 };
        for (const end of ends) {
          const part = reversedDeductions({ amount_kobo, deductions: { bank_fee_kobo, withheld_tax_kobo } }, before, end - before);
          // No tax is taken back while cash is left, and no fee while tax is left.
          if (end <= cash) expect(part).toStrictEqual({ bank_fee_kobo: 0, withheld_tax_kobo: 0 });
          if (end <= cash + withheld_tax_kobo) expect(part.bank_fee_kobo).toBe(0);
          sums.bank_fee_kobo += part.bank_fee_kobo;
          sums.withheld_tax_kobo += part.withheld_tax_kobo;
          before = end;
        }
        expect(sums).toStrictEqual({ bank_fee_kobo, withheld_tax_kobo });
      }),
    );
  });
});

describe('a payment with a bank fee and a withheld tax', () => {
  const deductions = PAYMENT.deductions;
  const payment = { ...credited, data: { ...credited.data, ...deductions } };
  const credit = { ...commandBase, kind: 'credit' as const, amount_kobo: 1_000_00, deductions, reference: 'r1', ...NOTHING_SEARCHED };
  const reverse = {
    ...commandBase,
    kind: 'reverse' as const,
    credit_reference: 'r1',
    reason: reversed.data.reason,
    ...NOTHING_SEARCHED,
  };
  const found = { reversed_kobo: 0, isOtherReference: false };

  it('is recorded with both, and repeated only with both', () => {
    givenWallet([]).when(credit).then([payment]);
    givenWallet([payment]).when(credit).thenNothing();
    givenWallet([payment])
      .when({ ...credit, deductions: { ...deductions, bank_fee_kobo: 50_01 } })
      .thenRejected('reference_reused', { reference: 'r1' });
  });

  it('is reversed in the order of its parts, from what the state knows and from what was searched', () => {
    const { balance_after_kobo: _balance, ...data } = reversed.data;
    const first = { ...reversed, data: { ...data, balance_after_kobo: 90_00, amount_kobo: 910_00, withheld_tax_kobo: 60_00 } };
    givenWallet([payment])
      .when({ ...reverse, amount_kobo: 910_00, reference: 'v1', found })
      .then([first]);
    const rest = { balance_after_kobo: 0, amount_kobo: 90_00, reference: 'v2', withheld_tax_kobo: 40_00, bank_fee_kobo: 50_00 };
    givenWallet([payment, first])
      .when({ ...reverse, amount_kobo: null, reference: 'v2', found })
      .then([{ ...reversed, data: { ...data, ...rest } }]);
    const searched = { ...found, reversed_kobo: 910_00, credit: { amount_kobo: 1_000_00, kind: 'payment' as const, deductions } };
    const { state } = givenWallet([payment, first]);
    const command = { ...reverse, amount_kobo: null, reference: 'v2', found: searched, ...searchedTo(1n) };
    expect(walletDecider.decide(command, state)).toMatchObject([{ data: rest }]);
  });
});
