import { describe, expect, it } from '@jest/globals';
import { type BankRow } from './bank-rows.js';
import { type PaymentMovement } from './movements.js';
import { reconcile } from './reconcile.js';

const DAYS = 31;
const dayOf = (day: number): string => `2026-03-${String(day).padStart(2, '0')}`;
const rentOf = (wallet: number): PaymentMovement => ({
  kind: 'payment',
  partner_id: `p${wallet}`,
  company_name: 'Bank',
  revision: 0,
  reference: 'RENT',
  cash_kobo: 500_00,
  bank_fee_kobo: 0,
  withheld_tax_kobo: 0,
  reversed_kobo: 0,
  date: dayOf(wallet),
});
const rentOn = (line: number, day: number): BankRow => ({ line, date: dayOf(day), amount_kobo: 500_00, narration: 'RENT' });

describe('a row whose reference many wallets have', () => {
  const movements = Array.from({ length: DAYS }, (_, index) => rentOf(index + 1));
  const rows = [rentOn(1, 15), rentOn(2, DAYS)];
  const found = reconcile({ rows, unused: [] }, movements, { days: 3, tolerance_kobo: 0, from: dayOf(1), to: dayOf(DAYS) });

  it('is listed with the ten movements nearest in date, and with the number of all', () => {
    const listed = found.ambiguous.map(({ row, movements: nearest, count }) => [
      row.line,
      count,
      nearest.map(({ date }) => Number(date.slice(-2))),
    ]);
    expect(listed).toStrictEqual([
      [1, DAYS, [15, 14, 16, 13, 17, 12, 18, 11, 19, 10]],
      [2, DAYS, [31, 30, 29, 28, 27, 26, 25, 24, 23, 22]],
    ]);
  });

  it('explains the other movements, too', () => {
    expect(found.not_in_file).toStrictEqual([]);
  });
});
