import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { bankFiles, BOOKS, NOT_IN_FILE, payment, type Truth } from '../../../../test/support/unit/bank-files.js';
import { guessColumns, likelyHeader } from '../domain/reconciling/bank-columns.js';
import { reconcile, type Reconciliation } from '../domain/reconciling/reconcile.js';
import { formatNaira } from '../../../kernel/money.js';
import { totalsOf } from './reconciliation-view.js';
import { fileOf, tablesOf } from './bank-file.js';

/** Returns what the reconciliation says of each row, in the order of the file. */
function said(found: Reconciliation): Truth[] {
  const of = (line: number, truth: Truth): readonly [number, Truth] => [line, truth];
  const lines = [
    ...found.matched.map(({ row, movement }) => of(row.line, `matched ${movement.reference}`)),
    ...found.split.flatMap(({ rows, movement }) => rows.map(({ line }) => of(line, `split ${movement.reference}`))),
    ...found.different.flatMap(({ rows, movement }) => rows.map(({ line }) => of(line, `different ${movement.reference}`))),
    ...found.not_credited.map(({ row, why, movement }) => of(row.line, `not_credited ${movement?.reference ?? why}`)),
    ...found.ambiguous.map(({ row, movements }) => of(row.line, `ambiguous ${movements[0]?.reference ?? ''}`)),
    ...found.skipped.map(({ line, why }) => of(line, `skipped ${why}`)),
  ];
  return lines.sort(([one], [other]) => one - other).map(([, truth]) => truth);
}

describe.each(bankFiles().map((file) => [file.name, file] as const))('a bank’s file with %s', (_name, { bytes, columns, truths }) => {
  it('has every true match found, none that is false, and the rest explained', async () => {
    const { file } = await fileOf(bytes, columns);
    const found = reconcile(file, BOOKS, { days: 3, tolerance_kobo: 0, from: '2026-03-01', to: '2026-03-31' });
    expect(said(found)).toStrictEqual(truths);
    const missing = found.not_in_file.map(({ reference }) => reference);
    // A file of money in alone has no payouts.
    const paidOut = columns.amount === undefined && columns.debit === undefined ? ['PO-11', 'PO-13', 'SET-3'] : ['PO-13'];
    expect(missing.sort()).toStrictEqual([...NOT_IN_FILE.filter((reference) => reference !== 'PO-13'), ...paidOut].sort());
  });

  it('has its columns guessed so that the same rows are found', async () => {
    const tables = await tablesOf(bytes);
    const guesses = tables.flatMap(({ rows }) => {
      const header = likelyHeader(rows);
      return header ? [guessColumns(rows, header)] : [];
    });
    const guessed = guesses.find(({ date, reference }) => date !== undefined && reference !== undefined);
    const { file } = await fileOf(bytes, { date: guessed?.date ?? '', reference: guessed?.reference ?? '', ...guessed });
    const { file: known } = await fileOf(bytes, columns);
    const amounts = (of: typeof file) => of.rows.map(({ amount_kobo, narration }) => [amount_kobo, narration]);
    expect(amounts(file)).toStrictEqual(amounts(known));
  });
});

describe('the bank’s file of the documentation', () => {
  it('has the lists and totals that stand there', async () => {
    const page = readFileSync('docs/accounting.md', 'utf8');
    const [, text = ''] = /```\n(Account Name[^`]+)```/.exec(page) ?? [];
    const { file } = await fileOf(Buffer.from(text), { date: 'Value Date', reference: 'Narration', credit: 'Credit', debit: 'Debit' });
    const credits = [payment('INV-2031', 2, 50_000), payment('INV-2034', 9, 30_000), payment('INV-2040', 10, 9_000)];
    const totals = totalsOf(reconcile(file, credits, { days: 3, tolerance_kobo: 0, from: '2026-03-01', to: '2026-03-31' }));
    const rows = page.matchAll(/^\| (?:`(\w+)`|the (file)) +\|[^|]*\| (\d+) +\| (\S+) +\|$/gm);
    const documented = Array.from(rows, ([, list, whole, lines, naira]) => [list ?? whole, Number(lines), naira]);
    expect(documented).toHaveLength(8);
    const found = documented.map(([list]) => [list, totals[list as 'file'].lines, formatNaira(totals[list as 'file'].amount_kobo)]);
    expect(found).toStrictEqual(documented);
  });
});

describe('a bank’s file with other columns', () => {
  it('is refused with the names of the columns that it has', async () => {
    const bytes = Buffer.from('Account,0123\nValue Date,Narration,Credit,Credit\n2026-03-01,INV-1,5,5\n');
    const errors = { date: ['The file has no column "Date". Its columns are "Value Date", "Narration", "Credit", "Credit".'] };
    await expect(fileOf(bytes, { date: 'Date', reference: 'Narration', amount: 'Narration' })).rejects.toMatchObject({ errors });
    await expect(fileOf(bytes, { date: 'Value Date', reference: 'Narration', credit: 'credit' })).rejects.toMatchObject({
      errors: { credit: [expect.stringContaining('The file has more than one column "credit".')] },
    });
  });

  it('is refused if no row can be used', async () => {
    const bytes = Buffer.from('Date,Narration,Credit\nTotal,,5\n');
    await expect(fileOf(bytes, { date: 'Date', reference: 'Narration', credit: 'Credit' })).rejects.toMatchObject({
      errors: { file: ['No row has a date in the column "Date" and an amount in "Credit".'] },
    });
    await expect(fileOf(Buffer.from('nothing'), { date: 'Date', reference: 'Narration', credit: 'Credit' })).rejects.toMatchObject({
      errors: { file: [expect.stringContaining('No row of the file looks like the names of columns.')] },
    });
  });
});
