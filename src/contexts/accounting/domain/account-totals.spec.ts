import { describe, expect, it } from '@jest/globals';
import { NO_DEDUCTIONS } from '../../wallet/domain/deductions.js';
import { lessMovements } from './account-totals.js';

const charge = { kind: null, deductions: NO_DEDUCTIONS, breakdown_kobo: { 'svc_fee.farms': 80_00 } };

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
      lessMovements([], [{ change_kobo: 5, kind: 'payment', breakdown_kobo: null, deductions: NO_DEDUCTIONS, times: 1 }]),
    ).toStrictEqual([
      { account: 'cash_received', debit_kobo: -5n, credit_kobo: 0n },
      { account: 'partner_balances', debit_kobo: 0n, credit_kobo: -5n },
    ]);
  });

  it('are unchanged without movements', () => {
    expect(lessMovements(totals, [])).toStrictEqual(totals);
  });
});
