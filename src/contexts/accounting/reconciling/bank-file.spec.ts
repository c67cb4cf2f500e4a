import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readBankFile, UnreadableBankFile } from './bank-file.js';

const MAP = { reference: 'Reference', amount: 'Credit', date: 'Value Date' };
const read = (text: string) => readBankFile(Buffer.from(text), MAP);
const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

const ONE = { line: 2, reference: 't-1', amount_kobo: 1234_56, date: '2026-03-09' };

describe('a bank’s file', () => {
  it.each([
    ['with commas', 'Value Date,Reference,Credit\n09/03/2026,t-1,"1,234.56"\n'],
    ['with semicolons and a decimal comma', 'Value Date;Reference;Credit\n09/03/2026;t-1;1.234,56\n'],
    ['with tabs', 'Value Date\tReference\tCredit\n09/03/2026\tt-1\t₦1,234.56\n'],
    ['with a byte order mark', '\ufeffReference,Credit,Value Date\nt-1,1234.56,2026-03-09\n'],
    ['with CRLF', 'Reference,Credit,Value Date\r\nt-1,1234.56,2026-03-09\r\n'],
    ['with CR alone', 'Reference,Credit,Value Date\rt-1,1234.56,2026-03-09\r'],
    ['without a line break at its end', 'Reference,Credit,Value Date\nt-1,1234.56,2026-03-09'],
    ['with quoted fields', '"Reference","Credit","Value Date"\n"t-1","NGN 1,234.56","9 March 2026"\n'],
    ['with other columns, and another order', 'Value Date,Note,Credit,Balance,Reference\n9.3.2026,"a, ""b""",1234.56,0,t-1\n'],
    ['with quotes within a field', 'Note,Reference,Credit,Value Date\nA "B" Ltd,t-1,1234.56,2026-03-09\n'],
    ['with a header in other case and spaces', 'REFERENCE , credit,value  date\nt-1,1234.56,2026-03-09\n'],
    ['with blank lines at its end', 'Reference,Credit,Value Date\nt-1,1234.56,2026-03-09\n\n,,\n  \n'],
    ['with a delimiter too many at the end of each line', 'Reference;Credit;Value Date;\nt-1;1234,56;2026-03-09;\n'],
  ])('%s is read', (_name, text) => {
    expect(read(text).payments).toStrictEqual([ONE]);
  });

  it('in UTF-16, as spreadsheets save it, is read', () => {
    const text = '\ufeffReference\tCredit\tValue Date\nt-1\t₦1,234.56\t2026-03-09\n';
    expect(readBankFile(Buffer.from(text, 'utf16le'), MAP).payments).toStrictEqual([ONE]);
  });

  it('names the lines as an editor counts them, below a header that is not the first line', () => {
    const text = lines(
      'Account,0123456789',
      '',
      'Reference,Credit,Value Date',
      't-1,5,2026-03-09',
      '"t\n2",6,2026-03-10',
      't-3,7,2026-03-11',
    );
    expect(read(text).payments.map(({ line, reference }) => [line, reference])).toStrictEqual([
      [4, 't-1'],
      [5, 't\n2'],
      [7, 't-3'],
    ]);
  });

  it('counts lines that are no payments received', () => {
    const text = lines('Reference,Credit,Value Date', 'fee,,2026-03-01', 'out,-5,2026-03-01', 'nil,0.00,', 't-1,5,2026-03-09');
    expect(read(text)).toMatchObject({ payments: [{ reference: 't-1', line: 5 }], skipped: 3 });
  });

  it('says how it read dates whose order of day and month matters', () => {
    const dates = (...all: string[]) => read(lines('Reference;Credit;Value Date', ...all.map((date) => `t;1;${date}`)));
    expect(dates('03/04/2026')).toMatchObject({ payments: [{ date: '2026-04-03' }], date_order: { order: 'day_first', known: false } });
    expect(dates('03/04/2026', '04/13/2026')).toMatchObject({
      payments: [{ date: '2026-03-04' }, { date: '2026-04-13' }],
      date_order: { order: 'month_first', known: true },
    });
    expect(dates('2026-04-03').date_order).toBeNull();
  });

  it.each([
    ['an amount', ['t-1,5,2026-03-09', 't-2,five,2026-03-09'], 'Line 3: the amount "five" cannot be read.'],
    ['a date', ['t-1,5,31/02/2026'], 'Line 2: the date "31/02/2026" cannot be read.'],
    ['a missing date', ['t-1,5,'], 'Line 2: the date "" cannot be read.'],
    ['a missing reference', ['t-1,5,2026-03-09', ',6,2026-03-09'], 'Line 3: the payment has no reference.'],
    ['a line with too many fields', ['t-1,1,234.56,2026-03-09'], 'Line 2 has 4 fields, and the header has 3.'],
    ['a line with too few fields', ['t-1,5'], 'Line 2 has 2 fields, and the header has 3.'],
    ['mixed dates', ['a,1,13/04/2026', 'b,1,04/13/2026'], 'Line 2 has the day first (13/04/2026), and line 3 the month (04/13/2026).'],
    ['an open quote', ['t-1,5,2026-03-09', '"t-2,5,2026-03-09'], expect.stringMatching(/^Line \d+ is not valid CSV: Quote/)],
  ])('names the line of %s', (_name, rows, message) => {
    expect(() => read(lines('Reference,Credit,Value Date', ...rows))).toThrow(expect.objectContaining({ message }));
    expect(() => read(lines('Reference,Credit,Value Date', ...rows))).toThrow(UnreadableBankFile);
  });

  it.each([
    ['a column is missing', lines('Reference,Debit,Value Date', 't-1,5,2026-03-09')],
    ['a column appears twice', lines('Reference,Credit,Credit,Value Date', 't-1,5,6,2026-03-09')],
    ['it is empty', ''],
  ])('is refused, with the columns that it should have, if %s', (_name, text) => {
    expect(() => read(text)).toThrow(/has each of the columns "Reference", "Credit", "Value Date" once\. Line 1 is /);
  });

  it('is refused, with the line, if it is in another encoding', () => {
    const text = Buffer.from(lines('Reference,Credit,Value Date', 't-1,5,2026-03-09', 'André,5,2026-03-09'), 'latin1');
    expect(() => readBankFile(text, MAP)).toThrow('Line 3 is not UTF-8. Save the file as CSV in UTF-8.');
  });

  it('is read whatever its references hold, with each delimiter and line break', () => {
    const reference = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '');
    const form = fc.record({ delimiter: fc.constantFrom(',', ';', '\t', '|'), end: fc.constantFrom('\n', '\r\n'), mark: fc.boolean() });
    fc.assert(
      fc.property(fc.array(reference, { minLength: 1 }), form, (references, { delimiter, end, mark }) => {
        const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const rows = [['Reference', 'Credit', 'Value Date'], ...references.map((each) => [quoted(each), '5', '2026-03-09'])];
        const text = `${mark ? '\ufeff' : ''}${rows.map((row) => row.join(delimiter) + end).join('')}`;
        expect(read(text).payments.map((each) => each.reference)).toStrictEqual(references.map((each) => each.trim()));
      }),
    );
  });
});
