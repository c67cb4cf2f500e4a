import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { type BankReconciliation, fileOf, periodOf } from './reconciling/reconcile-bank-text.query.js';
import { bankReconciliationView } from './reconciling/reconciliation-view.js';
import { LISTED } from './reconciling/reconciliation.dto.js';

const columns = { reference: 'Ref', amount: 'Credit', date: 'Day' };

function errorsOf(work: () => unknown): Readonly<Record<string, readonly string[]>> {
  try {
    work();
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

describe('a bank’s payments as text', () => {
  it('are read by the names of the columns', () => {
    expect(fileOf({ csv: 'Day,Ref,Credit\r\n2026-03-01,TRF-1,"50,000.00"\r\n2026-03-02,FEE,\r\n', columns })).toStrictEqual({
      payments: [{ line: 2, reference: 'TRF-1', amount_kobo: 50_000_00, date: '2026-03-01' }],
      skipped: 1,
      date_order: null,
    });
  });

  it.each([
    ['a text without these columns', 'Date,Ref\n2026-03-01,TRF-1', 'No line among the first 30 has each of the columns'],
    ['a text without a payment', 'Day,Ref,Credit\n2026-03-01,FEE,', 'There is no payment in the column "Credit".'],
    ['a line without a reference', 'Day,Ref,Credit\n2026-03-01,,5', 'Line 2: the payment has no reference.'],
  ])('are refused with a sentence for %s', (_text, csv, sentence) => {
    expect(errorsOf(() => fileOf({ csv, columns })).csv?.[0]).toContain(sentence);
  });

  const payments = ['2026-03-05', '2026-03-01'].map((date, at) => ({ line: at + 2, reference: `TRF-${at}`, amount_kobo: 1, date }));

  it('are compared from their first to their last date, widened by the days, unless the days are given', () => {
    const nothing = { from: undefined, to: undefined };
    expect(periodOf({ ...nothing, days: 3 }, { payments })).toStrictEqual({ from: '2026-02-26', to: '2026-03-08' });
    expect(periodOf({ ...nothing, from: '2026-03-01', days: 3 }, { payments })).toStrictEqual({ from: '2026-03-01', to: '2026-03-08' });
  });

  it('are refused for a period that ends before it begins, or is too long', () => {
    expect(errorsOf(() => periodOf({ from: '2026-04-01', to: undefined, days: 0 }, { payments }))).toStrictEqual({
      from: ['The from field must not be after 2026-03-05.'],
    });
    expect(errorsOf(() => periodOf({ from: '2020-01-01', to: undefined, days: 0 }, { payments })).csv?.[0]).toContain('at most 800 days');
  });

  it('have a response with a bounded list of each kind of difference, and the number of all', () => {
    const missing_credits = Array.from({ length: LISTED + 5 }, (_, at) => ({
      line: at,
      reference: 'r',
      amount_kobo: 150,
      date: '2026-03-01',
    }));
    const found = { matched: 2, missing_credits, missing_payments: [], double_payments: [], double_credits: [], differing: [] };
    const file = { payments: missing_credits, skipped: 1, date_order: null };
    const whole: BankReconciliation = { mode: 'live', days: 3, from: '2026-02-26', to: '2026-03-04', file, found };
    const view = bankReconciliationView(whole);
    expect([view.ok, view.differences, view.missing_credits.length]).toStrictEqual([false, LISTED + 5, LISTED]);
    expect(view.missing_credits[0]).toStrictEqual({ line: 0, reference: 'r', amount: 1.5, date: '2026-03-01' });
  });
});
