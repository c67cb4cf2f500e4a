import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type BankRow, type UnusedRow } from './bank-rows.js';
import { type ReconcileOptions } from './candidates.js';
import { type EntryMovement, type Movement, type PaymentMovement, type PayoutMovement } from './movements.js';
import { isReconciled, reconcile, type Reconciliation } from './reconcile.js';

const OPTIONS: ReconcileOptions = { days: 3, tolerance_kobo: 0, from: '2026-03-01', to: '2026-03-31' };
const NOTHING: Reconciliation = { matched: [], split: [], not_credited: [], not_in_file: [], different: [], ambiguous: [], skipped: [] };

let nextLine = 2;
const row = (narration: string, naira: number, more: Partial<BankRow> = {}): BankRow => {
  nextLine += 1;
  return { line: nextLine, date: '2026-03-09', amount_kobo: naira * 100, narration, ...more };
};
const payment = (reference: string, naira: number, more: Partial<PaymentMovement> = {}): PaymentMovement => ({
  kind: 'payment',
  partner_id: 'p1',
  company_name: 'Bank',
  revision: 0,
  reference,
  cash_kobo: naira * 100,
  date: '2026-03-09',
  reversed_kobo: 0,
  bank_fee_kobo: 0,
  withheld_tax_kobo: 0,
  ...more,
});
const payout = (reference: string, naira: number): PayoutMovement => ({
  kind: 'payout',
  partner_id: 'p1',
  company_name: 'Bank',
  revision: 1,
  reference,
  cash_kobo: -naira * 100,
  date: '2026-03-09',
});
const entry = (reference: string, naira: number): EntryMovement => ({
  kind: 'entry',
  entry_kind: naira < 0 ? 'passthrough_settlement' : 'bank_interest',
  reference,
  cash_kobo: naira * 100,
  date: '2026-03-09',
});
const compare = (rows: readonly BankRow[], movements: readonly Movement[], options: Partial<ReconcileOptions> = {}): Reconciliation =>
  reconcile({ rows, unused: [] }, movements, { ...OPTIONS, ...options });
const reversed = (of: BankRow, counterpart: BankRow | null, by: string) => ({
  ...of,
  why: 'reversed',
  counterpart: counterpart?.line ?? null,
  by,
});
const moneyOut = (of: BankRow) => ({ ...of, why: 'money_out', counterpart: null, by: null });

describe('a reconciliation', () => {
  it('matches a row with the payment whose reference stands in its narration', () => {
    const [paid, credit] = [row('NIP/ACME/INV 2031/000123', 500), payment('INV-2031', 500)];
    expect(compare([paid], [credit])).toStrictEqual({ ...NOTHING, matched: [{ row: paid, movement: credit, difference: null }] });
  });

  it('matches payouts and entries of the ledger with money out, and entries with money in', () => {
    const rows = [row('TRF PO-1', -70), row('SET-1', -80), row('INTEREST INT-1', 5)];
    const movements = [payout('PO-1', 70), entry('SET-1', -80), entry('INT-1', 5)];
    const found = compare(rows, movements);
    expect(found.matched.map(({ movement }) => movement)).toStrictEqual(movements);
    expect(isReconciled(found)).toBe(true);
  });

  it('does not match money out with a payment, or money in with a payout', () => {
    const rows = [row('INV-1', -500), row('PO-1', 70)];
    const found = compare(rows, [payment('INV-1', 500), payout('PO-1', 70)]);
    expect([found.matched.length, found.not_in_file.length, found.not_credited.length, found.skipped]).toStrictEqual([
      0,
      2,
      1,
      [moneyOut(rows[0] as BankRow)],
    ]);
  });

  it.each([
    ['the bank fee', 950 + 50, 'bank_fee', 0],
    ['the withheld tax', 950 + 20, 'withheld_tax', 0],
    ['both', 950 + 70, 'bank_fee_and_withheld_tax', 0],
    ['less than the tolerance', 952, 'tolerance', 2_00],
    ['less than the tolerance downwards', 948, 'tolerance', 2_00],
  ])('matches an amount that differs by %s, and names it', (_what, naira, because, tolerance_kobo) => {
    const credit = payment('INV-1', 950, { bank_fee_kobo: 50_00, withheld_tax_kobo: 20_00 });
    const { matched } = compare([row('INV-1', naira)], [credit], { tolerance_kobo });
    expect(matched.map(({ difference }) => difference)).toStrictEqual([{ amount_kobo: (naira - 950) * 100, because }]);
  });

  it('lists a row with another amount or date, and allows the days', () => {
    const credit = payment('INV-1', 500);
    const differing = (more: Partial<BankRow>, naira = 500) =>
      compare([row('INV-1', naira, more)], [credit]).different.map(({ fields }) => fields);
    expect(differing({ date: '2026-03-12' })).toStrictEqual([]);
    expect(differing({ date: '2026-03-13' })).toStrictEqual([['date']]);
    expect(differing({}, 499)).toStrictEqual([['amount']]);
    expect(differing({ date: '2026-03-05' }, 499)).toStrictEqual([['amount', 'date']]);
  });

  it('lists a payment that no reference is known of, and a second one of a matched credit', () => {
    const [first, second, unknown] = [row('INV-1', 500), row('INV-1', 500, { date: '2026-03-10' }), row('ACME', 70)];
    const credit = payment('INV-1', 500);
    const found = compare([second, first, unknown], [credit]);
    expect(found.matched).toStrictEqual([{ row: first, movement: credit, difference: null }]);
    expect(found.not_credited).toStrictEqual([
      { row: second, why: 'paid_twice', movement: credit },
      { row: unknown, why: 'no_reference', movement: null },
    ]);
  });

  it('takes several rows of one reference that sum to its cash for a split payment, and no more of them', () => {
    const rows = [row('INV-1', 30), row('INV-1', 70, { date: '2026-03-10' }), row('INV-1', 25, { date: '2026-03-11' })];
    const credit = payment('INV-1', 100);
    const found = compare(rows, [credit]);
    expect(found.split).toStrictEqual([{ rows: rows.slice(0, 2), movement: credit, difference: null }]);
    expect(found.not_credited.map(({ row: own }) => own)).toStrictEqual([rows[2]]);
    expect(compare(rows, [payment('INV-1', 120)]).different).toStrictEqual([{ rows, movement: payment('INV-1', 120), fields: ['amount'] }]);
  });

  it('takes many rows of one reference for a split payment, too', () => {
    const rows = Array.from({ length: 40 }, () => row('INV-1', 10));
    expect(compare(rows, [payment('INV-1', 400)]).split[0]?.rows).toHaveLength(40);
    expect(compare(rows, [payment('INV-1', 30)]).split[0]?.rows).toHaveLength(3);
  });

  it('chooses the longest reference, and of equally long ones the one whose cash is the amount', () => {
    const long = payment('INV-2031-B', 500);
    expect(compare([row('INV-2031-B', 500)], [payment('INV-2031', 500), long]).matched[0]?.movement).toBe(long);
    const [one, two] = [payment('AB-1', 500), payment('CD-2', 600)];
    expect(compare([row('AB-1 CD-2', 600)], [one, two]).matched[0]?.movement).toBe(two);
    const neither = row('AB-1 CD-2', 700);
    expect(compare([neither], [one, two]).ambiguous).toStrictEqual([{ row: neither, movements: [one, two], count: 2 }]);
  });

  it('does not choose between two wallets that have a reference with the same amount, or with other ones', () => {
    const [one, two] = [payment('RENT', 500), payment('RENT', 500, { partner_id: 'p2' })];
    const paid = row('RENT', 500);
    expect(compare([paid], [one, two])).toStrictEqual({ ...NOTHING, ambiguous: [{ row: paid, movements: [one, two], count: 2 }] });
    const less = payment('RENT', 400, { partner_id: 'p2' });
    expect(compare([paid], [one, less]).matched[0]?.movement).toBe(one);
    const whole = payment('RENT', 0, { partner_id: 'p2', reversed_kobo: 500_00 });
    expect(compare([row('RENT', 499)], [one, whole]).different[0]?.movement).toBe(one);
  });

  it('lists movements of the period that no row explains, but none that was reversed as a whole', () => {
    const missing = payment('INV-1', 500);
    const before = payment('INV-2', 500, { date: '2026-02-28' });
    expect(compare([], [missing, before, payment('INV-3', 0, { reversed_kobo: 500_00 })])).toStrictEqual({
      ...NOTHING,
      not_in_file: [missing],
    });
  });

  it('skips rows that the file’s reader did not use', () => {
    const unused: UnusedRow = { line: 9, date: null, amount_kobo: null, narration: 'Total', why: 'total' };
    expect(reconcile({ rows: [], unused: [unused] }, [], OPTIONS).skipped).toStrictEqual([{ ...unused, counterpart: null, by: null }]);
  });
});

describe('a row that the bank took back', () => {
  it('is skipped with the row of the same narration, of several with that one, and its credit is not in the file', () => {
    const [first, second] = [row('NIP/INV-1/7', 500), row('NIP/INV-2/8', 500)];
    const back = row('NIP/INV-1/7', -500, { date: '2026-03-10' });
    const movements = [payment('INV-1', 500), payment('INV-2', 500)];
    const found = compare([first, second, back], movements);
    expect(found.skipped).toStrictEqual([reversed(first, back, 'narration'), reversed(back, first, 'narration')]);
    expect([found.matched.map(({ row: own }) => own), found.not_in_file]).toStrictEqual([[second], [movements[0]]]);
  });

  it('is skipped with the row of the same reference', () => {
    const [first, second, back] = [row('NIP INV-1', 500), row('NIP INV-2', 500), row('RETURN INV1', -500, { date: '2026-03-10' })];
    const found = compare([second, first, back], [payment('INV-1', 500), payment('INV-2', 500)]);
    expect(found.skipped).toStrictEqual([reversed(first, back, 'reference'), reversed(back, first, 'reference')]);
  });

  it.each(['RVSL NIP/7', 'REVERSAL OF NIP/7', 'NIP/7 (Reversed)'])('is known by the mark in %j', (narration) => {
    const [first, other, back] = [row('NIP/7', 500), row('NIP/8', 500), row(narration, -500, { date: '2026-03-10' })];
    expect(compare([first, other, back], []).skipped).toHaveLength(2);
    expect(compare([first, other, back], []).not_credited.map(({ row: own }) => own)).toStrictEqual([other]);
  });

  it('is the nearest before a row with a mark alone', () => {
    const rows = [
      row('A', 500, { date: '2026-03-01' }),
      row('B', 500, { date: '2026-03-05' }),
      row('RVSL', -500, { date: '2026-03-06' }),
      row('C', 500, { date: '2026-03-07' }),
    ];
    expect(compare(rows, []).not_credited.map(({ row: own }) => own.narration)).toStrictEqual(['A', 'C']);
  });

  it('may be a charge, and a marked row whose counterpart another file has is skipped, too', () => {
    const [charge, back, alone] = [row('SMS CHARGE', -50), row('RVSL SMS CHARGE', 50), row('RVSL LEVY', 4)];
    expect(compare([charge, back, alone], []).skipped).toStrictEqual([
      reversed(charge, back, 'narration'),
      reversed(back, charge, 'narration'),
      reversed(alone, null, 'mark'),
    ]);
  });

  it('is none if both rows have movements of their own, as a payout that came back and was credited', () => {
    const rows = [row('PO-7', -70), row('RVSL PO-7', 70, { date: '2026-03-10' })];
    const movements = [payout('PO-7', 70), payment('RVSL-PO-7', 70, { date: '2026-03-10' })];
    expect(compare(rows, movements).matched.map(({ movement }) => movement)).toStrictEqual(movements);
    expect(compare(rows, movements.slice(0, 1)).skipped).toHaveLength(2);
  });

  it('is known by its amount alone only if nothing explains either row, within the days', () => {
    const [paid, out] = [row('ACME', 500), row('TO ADE', -500, { date: '2026-03-11' })];
    expect(compare([paid, out], []).skipped).toStrictEqual([reversed(paid, out, 'amount'), reversed(out, paid, 'amount')]);
    expect(compare([paid, out], [], { days: 1 }).skipped).toStrictEqual([moneyOut(out)]);
    const known = row('INV-1', 500);
    expect(compare([known, out], [payment('INV-1', 500)])).toMatchObject({ matched: [{ row: known }], skipped: [moneyOut(out)] });
    expect(compare([paid, row('PO-1', -500)], [payout('PO-1', 500)])).toMatchObject({ not_credited: [{ row: paid }], skipped: [] });
  });
});

describe('any reconciliation', () => {
  const narration = fc.constantFrom('INV-1', 'inv 1 b', 'AB/2', 'RVSL INV-1', 'CHARGE', 'PO-1', 'RENT', 'INV-1 AB-2');
  const banked = fc.record({ narration, naira: fc.integer({ min: -4, max: 4 }).filter((naira) => naira !== 0), day: fc.nat(9) });
  const rows = fc.array(banked, { maxLength: 12 }).map((all) =>
    all.map(({ narration: text, naira, day }, at): BankRow => ({
      line: at + 2,
      date: `2026-03-1${day}`,
      amount_kobo: naira * 100,
      narration: text,
    })),
  );
  const reference = fc.constantFrom('INV-1', 'INV-1-B', 'AB-2', 'RENT', 'PO-1', 'RVSL-INV-1');
  const movements = fc
    .array(fc.record({ reference, naira: fc.integer({ min: 0, max: 6 }), isPayout: fc.boolean(), fee: fc.nat(1), day: fc.nat(9) }), {
      maxLength: 8,
    })
    .map((all) =>
      all.map(({ reference: own, naira, isPayout, fee, day }, at): Movement => {
        const more = { partner_id: `p${at}`, date: `2026-03-1${day}` };
        return isPayout ? { ...payout(own, naira + 1), ...more } : payment(own, naira, { ...more, bank_fee_kobo: fee * 100 });
      }),
    );
  const options = fc.record({
    days: fc.nat(3),
    tolerance_kobo: fc.constantFrom(0, 100),
    from: fc.constant('2026-03-10'),
    to: fc.constant('2026-03-15'),
  });

  const rowsOf = (found: Reconciliation) => [
    ...found.matched.map(({ row: own }) => own),
    ...found.split.flatMap(({ rows: own }) => own),
    ...found.not_credited.map(({ row: own }) => own),
    ...found.different.flatMap(({ rows: own }) => own),
    ...found.ambiguous.map(({ row: own }) => own),
    ...found.skipped,
  ];

  it('has each row in one list, with the same total, and matches each movement once at most', () => {
    fc.assert(
      fc.property(rows, movements, options, (file, booked, chosen) => {
        const found = reconcile({ rows: file, unused: [] }, booked, chosen);
        const listed = rowsOf(found);
        expect(listed.map(({ line }) => line).sort((one, other) => one - other)).toStrictEqual(file.map(({ line }) => line));
        const sum = (all: readonly { readonly amount_kobo: number | null }[]) =>
          all.reduce((total, { amount_kobo }) => total + (amount_kobo ?? 0), 0);
        expect(sum(listed)).toBe(sum(file));
        const settled = [...found.matched, ...found.split, ...found.different].map(({ movement }) => movement);
        expect(new Set(settled).size).toBe(settled.length);
        for (const { row: own, movement } of found.matched) expect(Math.sign(own.amount_kobo)).toBe(Math.sign(movement.cash_kobo));
        const missing = found.not_in_file.filter((movement) => settled.includes(movement));
        expect(missing).toStrictEqual([]);
      }),
    );
  });

  it('does not depend on the order of the rows or of the movements', () => {
    const shuffledRows = rows.chain((file) => fc.tuple(fc.constant(file), fc.shuffledSubarray(file, { minLength: file.length })));
    const outline = (found: Reconciliation) =>
      ['matched', 'split', 'different', 'not_credited', 'not_in_file', 'ambiguous', 'skipped'].map((list) => {
        const lines = found[list as keyof Reconciliation].flatMap((item) => {
          const each = item as {
            readonly row?: BankRow;
            readonly rows?: readonly BankRow[];
            readonly reference?: string;
            readonly line?: number;
          };
          return (each.rows ?? [each.row ?? each]).map((one) => ('line' in one ? String((one as BankRow).line) : JSON.stringify(one)));
        });
        return [list, lines.sort()];
      });
    fc.assert(
      fc.property(shuffledRows, movements, options, ([file, shuffled], booked, chosen) => {
        const one = reconcile({ rows: file, unused: [] }, booked, chosen);
        const other = reconcile({ rows: shuffled, unused: [] }, booked.toReversed(), chosen);
        expect(outline(other)).toStrictEqual(outline(one));
      }),
    );
  });

  it('takes a moment for thousands of rows and ten thousands of references', () => {
    const booked = Array.from({ length: 30_000 }, (_, at) => payment(`INV-${at}`, 5, { partner_id: `p${at}` }));
    const file = Array.from({ length: 5_000 }, (_, at) => row(`NIP/ACME LIMITED/TRANSFER/INV-${at * 3}/000013260309${at}`, 5));
    const found = compare(file, booked);
    expect([found.matched.length, found.not_in_file.length]).toStrictEqual([5_000, 25_000]);
  });

  it.each<[rows: string, narrationOf: (at: number) => string]>([
    ['one narration', () => 'NIP TRANSFER'],
    ['a mark', (at) => `RVSL OF TRANSFER ${at}`],
    ['one reference', (at) => `NIP INV-1 ${at}`],
  ])('reads the date of each row a few times, however many have its amount and %s', (_rows, narrationOf) => {
    let reads = 0;
    const counted = (at: number): BankRow =>
      new Proxy(row(narrationOf(at), at % 2 === 0 ? 5 : -5), {
        get: (of, field: keyof BankRow) => {
          if (field === 'date') reads += 1;
          return of[field];
        },
      });
    const file = Array.from({ length: 2_000 }, (_, at) => counted(at));
    compare(file, [payment('INV-1', 7)]);
    expect(reads / file.length).toBeLessThan(100);
  });
});
