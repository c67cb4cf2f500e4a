import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_DEDUCTIONS } from '../../wallet/domain/deductions.js';
import { type AccountTotals, lessMovements, movementsOf, sumOf } from './account-totals.js';

const charge = { kind: null, vat_percent: 0, deductions: NO_DEDUCTIONS, breakdown_kobo: { 'svc_fee.farms': 80_00 } };

describe('the totals of accounts', () => {
  const totals = [
    { account: 'cash_received', debit_kobo: 500_00n, credit_kobo: 0n },
    { account: 'partner_balances', debit_kobo: 240_00n, credit_kobo: 500_00n },
    { account: 'revenue.farms', debit_kobo: 0n, credit_kobo: 240_00n },
  ];

  it('lose what movements have posted, as often as they occurred', () => {
    expect(lessMovements(totals, [{ ...charge, change_kobo: -80_00, times: 2 }])).toStrictEqual([
      { account: 'cash_received', debit_kobo: 500_00n, credit_kobo: 0n },
      { account: 'partner_balances', debit_kobo: 80_00n, credit_kobo: 500_00n },
      { account: 'revenue.farms', debit_kobo: 0n, credit_kobo: 80_00n },
    ]);
  });

  it('omit accounts without any posting', () => {
    expect(lessMovements(totals, [{ ...charge, change_kobo: -80_00, times: 3 }]).map(({ account }) => account)).toStrictEqual([
      'cash_received',
      'partner_balances',
    ]);
  });

  it('show a movement that is missing in them as an amount below 0', () => {
    expect(
      lessMovements([], [{ change_kobo: 5, kind: 'payment', breakdown_kobo: null, vat_percent: 0, deductions: NO_DEDUCTIONS, times: 1 }]),
    ).toStrictEqual([
      { account: 'cash_received', debit_kobo: -5n, credit_kobo: 0n },
      { account: 'partner_balances', debit_kobo: 0n, credit_kobo: -5n },
    ]);
  });

  it('are unchanged without movements', () => {
    expect(lessMovements(totals, [])).toStrictEqual(totals);
  });
});

describe('the movements of a period', () => {
  const total = (account: string, debit_kobo: bigint, credit_kobo: bigint): AccountTotals => ({ account, debit_kobo, credit_kobo });
  const anyTotals = fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.bigInt(0n, 10n ** 20n), fc.bigInt(0n, 10n ** 20n)), {
      selector: ([account]) => account,
    })
    .map((all) => all.map(([account, debit, credit]) => total(account, debit, credit)));

  it('are the differences of the totals, with the balances at both ends', () => {
    expect(movementsOf([total('b', 5n, 20n)], [total('b', 7n, 30n), total('a', 1n, 0n)])).toStrictEqual([
      { account: 'a', opening_kobo: 0n, debit_kobo: 1n, credit_kobo: 0n, closing_kobo: 1n },
      { account: 'b', opening_kobo: -15n, debit_kobo: 2n, credit_kobo: 10n, closing_kobo: -23n },
    ]);
  });

  it('show an account that did not move and has a balance, and none that never had one', () => {
    expect(movementsOf([total('a', 3n, 0n)], [total('a', 3n, 0n), total('b', 0n, 0n)]).map(({ account }) => account)).toStrictEqual(['a']);
  });

  it('lead from each opening to each closing balance, and so do their sums', () => {
    fc.assert(
      fc.property(anyTotals, anyTotals, (before, since) => {
        const through = [...new Set([...before, ...since].map(({ account }) => account))].map((account) => {
          const both = [before, since].map((all) => all.find((each) => each.account === account));
          return total(
            account,
            both.reduce((sum, each) => sum + (each?.debit_kobo ?? 0n), 0n),
            both.reduce((sum, each) => sum + (each?.credit_kobo ?? 0n), 0n),
          );
        });
        const movements = movementsOf(before, through);
        for (const { opening_kobo, debit_kobo, credit_kobo, closing_kobo } of [...movements, sumOf(movements)])
          expect(opening_kobo + debit_kobo - credit_kobo).toBe(closing_kobo);
        expect(movements.map(({ account }) => account)).toStrictEqual(movements.map(({ account }) => account).toSorted());
      }),
    );
  });
});
