import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type BankPayment, dayAfter, type PaymentCredit, reconcile, type Reconciliation } from './reconcile.js';

const OPTIONS = { days: 3, from: '2026-03-01', to: '2026-03-31' };
const NOTHING: Reconciliation = {
  matched: 0,
  missing_credits: [],
  missing_payments: [],
  double_payments: [],
  double_credits: [],
  differing: [],
};

const payment = (more: Partial<BankPayment> = {}): BankPayment => ({
  line: 2,
  reference: 't-1',
  amount_kobo: 500,
  date: '2026-03-09',
  ...more,
});
const credit = (more: Partial<PaymentCredit> = {}): PaymentCredit => ({
  partner_id: 'p1',
  company_name: 'Bank',
  revision: 0,
  reference: 't-1',
  amount_kobo: 500,
  reversed_kobo: 0,
  recorded_at: '2026-03-09T10:00:00.000Z',
  ...more,
});

describe('a reconciliation', () => {
  it('matches a payment with the credit of its reference, whatever its case and spaces', () => {
    const written = payment({ reference: '  T-1 ' });
    expect(reconcile([written, payment({ reference: 'a  B' })], [credit(), credit({ reference: 'A b' })], OPTIONS)).toStrictEqual({
      ...NOTHING,
      matched: 2,
    });
  });

  it('allows a credit to be some days from the bank’s date, and no more', () => {
    for (const day of ['06', '12']) {
      const near = credit({ recorded_at: `2026-03-${day}T23:59:59.999Z` });
      expect(reconcile([payment()], [near], OPTIONS).matched).toBe(1);
    }
    const far = credit({ recorded_at: '2026-03-13T00:00:00.000Z' });
    expect(reconcile([payment()], [far], OPTIONS)).toStrictEqual({
      ...NOTHING,
      differing: [{ payment: payment(), credit: far, fields: ['date'] }],
    });
  });

  it('lists what is missing, in both directions, and only credits of the period', () => {
    const [paid, credited] = [payment({ reference: 'a' }), credit({ reference: 'b' })];
    const before = credit({ reference: 'c', recorded_at: '2026-02-28T23:59:59.999Z' });
    expect(reconcile([paid], [credited, before], OPTIONS)).toStrictEqual({
      ...NOTHING,
      missing_credits: [paid],
      missing_payments: [credited],
    });
  });

  it('lists what is there twice, on either side', () => {
    const again = payment({ line: 3 });
    expect(reconcile([payment(), again], [credit()], OPTIONS)).toStrictEqual({ ...NOTHING, matched: 1, double_payments: [again] });
    const other = credit({ partner_id: 'p2' });
    expect(reconcile([payment()], [credit(), other], OPTIONS)).toStrictEqual({ ...NOTHING, matched: 1, double_credits: [other] });
  });

  it('lists a payment with another amount, and pairs equal ones first', () => {
    const less = payment({ amount_kobo: 400 });
    expect(reconcile([less, payment({ line: 3 })], [credit(), credit({ amount_kobo: 450, partner_id: 'p2' })], OPTIONS)).toStrictEqual({
      ...NOTHING,
      matched: 1,
      differing: [{ payment: less, credit: credit({ amount_kobo: 450, partner_id: 'p2' }), fields: ['amount'] }],
    });
  });

  it('counts what is left of a credit after reversals', () => {
    const part = credit({ amount_kobo: 700, reversed_kobo: 200 });
    expect(reconcile([payment()], [part], OPTIONS).matched).toBe(1);
    const whole = credit({ reversed_kobo: 500 });
    expect(reconcile([], [whole], OPTIONS)).toStrictEqual(NOTHING);
    expect(reconcile([payment()], [whole], OPTIONS).differing).toStrictEqual([{ payment: payment(), credit: whole, fields: ['amount'] }]);
    expect(reconcile([payment()], [whole, credit({ partner_id: 'p2' })], OPTIONS)).toStrictEqual({ ...NOTHING, matched: 1 });
  });

  it('accounts for every payment and every credit of the period once', () => {
    const items = fc.array(
      fc.record({ reference: fc.constantFrom('a', 'b', 'c'), amount_kobo: fc.integer({ min: 1, max: 3 }), day: fc.nat(9) }),
    );
    fc.assert(
      fc.property(items, items, (banked, credited) => {
        const payments = banked.map(({ day, ...more }, line) => payment({ ...more, line, date: `2026-03-1${day}` }));
        const credits = credited.map(({ day, ...more }, revision) =>
          credit({ ...more, revision, recorded_at: `2026-03-1${day}T12:00:00.000Z` }),
        );
        const found = reconcile(payments, credits, OPTIONS);
        const both = found.matched + found.differing.length;
        expect(both + found.missing_credits.length + found.double_payments.length).toBe(payments.length);
        expect(both + found.missing_payments.length + found.double_credits.length).toBe(credits.length);
        expect(reconcile(payments, payments.map(asCredit), OPTIONS)).toStrictEqual({ ...NOTHING, matched: payments.length });
      }),
    );
  });
});

const asCredit = ({ reference, amount_kobo, date }: BankPayment): PaymentCredit =>
  credit({ reference, amount_kobo, recorded_at: `${dayAfter(date, 0)}T00:00:00.000Z` });
