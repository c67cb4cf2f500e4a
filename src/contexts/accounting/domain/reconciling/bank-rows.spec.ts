import { describe, expect, it } from '@jest/globals';
import { type BankColumns, findHeader, guessColumns, likelyHeader, type TableRow } from './bank-columns.js';
import { bankRows } from './bank-rows.js';

const tableOf = (...lines: readonly string[]): TableRow[] => lines.map((line, at) => ({ line: at + 1, cells: line.split('|') }));
const TWO: BankColumns = { date: 'Date', reference: 'Narration', credit: 'Credit', debit: 'Debit' };
const ONE: BankColumns = { date: 'Date', reference: 'Narration', amount: 'Amount' };

function read(columns: BankColumns, ...lines: readonly string[]) {
  const table = tableOf(...lines);
  const header = findHeader(table, columns);
  if (!header) throw new Error('The table has no header.');
  return bankRows(table, header, true);
}
const amounts = (...args: Parameters<typeof read>) => read(...args).rows.map(({ amount_kobo }) => amount_kobo);
const reasons = (...args: Parameters<typeof read>) => read(...args).unused.map(({ why }) => why);

describe('the rows of a bank’s file', () => {
  it('have a date, a signed amount and a narration, below the names of the columns, which may stand below the account', () => {
    const { rows, unused, date_order } = read(
      TWO,
      'Account|0123',
      '',
      'no| DATE |Narration|Debit|Credit',
      '1|13/03/2026|INV-1||1,234.56',
      '2|14-Mar-26|FEE|50.00|',
    );
    expect(rows).toStrictEqual([
      { line: 4, date: '2026-03-13', amount_kobo: 1234_56, narration: 'INV-1' },
      { line: 5, date: '2026-03-14', amount_kobo: -50_00, narration: 'FEE' },
    ]);
    expect([unused, date_order]).toStrictEqual([[], { order: 'day_first', known: true }]);
  });

  it('have the sign of the one column of amounts', () => {
    expect(
      amounts(ONE, 'Date|Narration|Amount', '2026-03-01|a|5.00 CR', '2026-03-01|b|5.00DR', '2026-03-01|c|(5)', '2026-03-01|d|-₦5'),
    ).toStrictEqual([500, -500, -500, -500]);
  });

  it('are money out in the column of debits, whether or not the bank writes a sign there, and money that came back if it does not', () => {
    const head = 'Date|Narration|Debit|Credit';
    expect(amounts(TWO, head, '2026-03-01|a|-5|', '2026-03-01|b|-6|', '2026-03-01|c|0.00|7')).toStrictEqual([-500, -600, 700]);
    expect(amounts(TWO, head, '2026-03-01|a|5|', '2026-03-01|b|-6|0.00')).toStrictEqual([-500, 600]);
  });

  it('are not used without a date or an amount, with two amounts, or with cells beyond the header', () => {
    const lines = [
      'yesterday|a||5',
      '2026-03-01|b||',
      '2026-03-01|c||five',
      '2026-03-01|d|1|2',
      '2026-03-01|e||50|000.00',
      '|*** end ***||',
      'Date|Narration|Debit|Credit',
    ];
    const { rows, unused } = read(TWO, 'Date|Narration|Debit|Credit', ...lines);
    expect(rows).toStrictEqual([]);
    expect(unused.map(({ why }) => why)).toStrictEqual([
      'no_date',
      'no_amount',
      'no_amount',
      'no_amount',
      'too_many_cells',
      'no_amount',
      'header',
    ]);
    expect(unused[0]).toStrictEqual({ line: 2, date: null, amount_kobo: 500, narration: 'a', why: 'no_date' });
  });

  it.each([
    ['Opening Balance', 'balance'],
    ['BALANCE B/F', 'balance'],
    ['B/F', 'balance'],
    ['Closing balance as at 31/03/2026', 'balance'],
    ['Ledger Balance: NGN 1,000.00 CR', 'balance'],
    ['Total', 'total'],
    ['GRAND TOTAL:', 'total'],
    ['Sub-total', 'total'],
    ['Total Credits', 'total'],
    ['Total debits and credits for the period', 'total'],
  ])('are not used as %s, even with date and amount', (text, why) => {
    const { rows, unused } = read(TWO, 'Date|Narration|Debit|Credit', `2026-03-01|${text}||5`, `${text}|||7`);
    expect([rows, unused.map((row) => row.why), unused[0]?.amount_kobo]).toStrictEqual([[], [why, why], null]);
  });

  it.each(['BALANCE PAYMENT INV-1', 'Balance on invoice 12', 'TOTAL NIGERIA PLC INV-1', 'Total for INV-2031', 'BAL/INV-7'])(
    'are used as the payment %j',
    (text) => {
      expect(amounts(TWO, 'Date|Narration|Debit|Credit', `2026-03-01|${text}||5`)).toStrictEqual([500]);
    },
  );

  it('keep cells beyond the header that a sheet has beside its table', () => {
    const table = tableOf('Date|Narration|Credit', '2026-03-01|a|5|a note');
    const header = findHeader(table, { date: 'Date', reference: 'Narration', credit: 'Credit' });
    expect(header && bankRows(table, header, false).rows).toHaveLength(1);
    expect(reasons({ ...TWO, debit: undefined }, 'Date|Narration|Credit', '2026-03-01|a|5|a note')).toStrictEqual(['too_many_cells']);
  });
});

describe('the columns of a bank’s file', () => {
  it('are in the first row that has each name once', () => {
    expect(findHeader(tableOf('Date|Date|Narration|Amount', ' date |NARRATION|Amount'), ONE)?.at).toBe(1);
    expect(findHeader(tableOf('Date|Narration'), ONE)).toBeUndefined();
  });

  it('are in the row that looks most like a header', () => {
    const table = tableOf(
      'Statement of account',
      'Name|Ade & Sons|Currency|NGN|Branch|Marina',
      'Trans Date|Value Date|Description|Withdrawals|Lodgements|Balance',
    );
    expect(likelyHeader(table)).toMatchObject({
      at: 2,
      names: ['Trans Date', 'Value Date', 'Description', 'Withdrawals', 'Lodgements', 'Balance'],
    });
    expect(likelyHeader(tableOf('one', '', 'two'))).toBeUndefined();
  });

  it.each<[header: string, row: string, guessed: object]>([
    [
      'Trans Date|Value Date|Description|Withdrawals|Lodgements|Balance',
      '01/03/2026|02/03/2026|NIP INV-1||5|9',
      { date: 'Trans Date', reference: 'Description', credit: 'Lodgements', debit: 'Withdrawals' },
    ],
    [
      'Value Date|Reference|Narration|Amount (NGN)|Balance',
      '01/03/2026|000123|NIP INV-1|5|9',
      { date: 'Value Date', reference: 'Narration', amount: 'Amount (NGN)' },
    ],
    ['Posted|Was|Betrag', '01/03/2026|NIP FROM ADE INV-1|5', { date: 'Posted', reference: 'Was', amount: 'Betrag' }],
    [
      'S/N|Posting Date|Money In|Money Out|Remarks',
      '1|01-Mar-2026|5||INV-1',
      { date: 'Posting Date', reference: 'Remarks', credit: 'Money In', debit: 'Money Out' },
    ],
  ])('are guessed from %j', (header, row, guessed) => {
    expect(guessColumns(tableOf(header, row, row), { at: 0 })).toStrictEqual(guessed);
  });
});
