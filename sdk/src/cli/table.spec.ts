import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idsIn, reportsIn, rowsOf } from './table.js';
import { UsageError } from './terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'rupa-table-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileOf(content: string | Buffer, name = 'table.csv'): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

interface Form {
  readonly separator: string;
  readonly end: string;
  readonly mark: string;
  readonly emptyLines: boolean;
  readonly lastEnd: boolean;
}

/** Writes a table as a program may: quotes cells that need it, and others as `quoted` says. */
function written(
  rows: readonly (readonly string[])[],
  quoted: readonly boolean[],
  { separator, end, mark, emptyLines, lastEnd }: Form,
): string {
  let cells = 0;
  const lines = rows.map((row) =>
    row
      .map((cell) => {
        cells += 1;
        const needsQuotes = /[",;\n\r]/.test(cell) || (quoted[cells % quoted.length] ?? false);
        return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
      })
      .join(separator),
  );
  return `${mark}${lines.join(emptyLines ? end + end : end)}${lastEnd ? end : ''}`;
}

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ',', ';', '"', '\n', '\r\n', ' ') }).map((text) => text.trim());
const tables = fc.integer({ min: 2, max: 4 }).chain((columns) =>
  fc.array(
    fc.array(cell, { minLength: columns - 1, maxLength: columns - 1 }).map((cells) => ['first', ...cells]),
    { minLength: 1, maxLength: 5 },
  ),
);
const form = fc.record({
  separator: fc.constantFrom(',', ';'),
  end: fc.constantFrom('\n', '\r\n'),
  mark: fc.constantFrom('', '\ufeff'),
  emptyLines: fc.boolean(),
  lastEnd: fc.boolean(),
});

describe('a CSV file', () => {
  it('is read as the rows that were written, whatever its quotes, line ends, empty lines and byte order mark', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), form, async (rows, quoted, how) => {
        // The first line tells the separator.
        const table = [rows[0]?.map((_, index) => `column${index}`) ?? [], ...rows];
        expect(await Array.fromAsync(rowsOf(fileOf(written(table, quoted, how))))).toStrictEqual(table);
      }),
    );
  });

  it('with a quote that is never closed is refused, and not read as one long cell', async () => {
    const file = fileOf('rupa_id,name\nrp-1,"Ada\nrp-2,Bola\n');
    await expect(Array.fromAsync(idsIn(file))).rejects.toThrow(new UsageError(`${file} has a quote that is never closed.`));
  });

  it.each(['reports.csv', 'reports.jsonl'])(
    'or JSON lines that are not UTF-8 are refused, or two references could become one: %s',
    async (name) => {
      const lines = name.endsWith('.csv')
        ? 'rupa_id,event,partner_reference\nrp-1,loan_disbursed,é1\nrp-1,loan_disbursed,è1\n'
        : '{"rupa_id":"rp-1","partner_reference":"é1"}\n';
      const refused = fileOf(Buffer.from(lines, 'latin1'), name);
      const message = `${refused} is not UTF-8. Save it as UTF-8, in Excel as “CSV UTF-8”.`;
      await expect(Array.fromAsync(reportsIn(refused))).rejects.toThrow(new UsageError(message));
      const cutOff = fileOf(Buffer.from(lines.slice(0, lines.indexOf('é') + 1)).subarray(0, -1), name);
      await expect(Array.fromAsync(reportsIn(cutOff))).rejects.toThrow(new UsageError(message));
      expect((await Array.fromAsync(reportsIn(fileOf(`\ufeff${lines}`, name))))[0]).toMatchObject({ partner_reference: 'é1' });
    },
  );

  it('of ids needs a column rupa_id if it has several, whose first one could be of anything', async () => {
    await expect(Array.fromAsync(idsIn(fileOf('name,id\nAda,rp-1\n')))).rejects.toThrow('has several columns and none is named rupa_id');
    expect(await Array.fromAsync(idsIn(fileOf('rp-1,\nrp-2,\n')))).toStrictEqual(['rp-1', 'rp-2']);
    expect(await Array.fromAsync(idsIn(fileOf('name,Rupa_ID\nAda,rp-1\n')))).toStrictEqual(['rp-1']);
  });

  it('has the same text wherever a part of it ends', async () => {
    // A part that is read has 64 KiB, and some of these characters begin in one and end in the next.
    const cells = Array.from({ length: 60 }, (_, index) => `${'a'.repeat(index % 3)}${'😀é'.repeat(1_000)}`);
    const rows = await Array.fromAsync(rowsOf(fileOf(cells.map((text) => `rp-1,${text}\n`).join(''))));
    expect(rows).toStrictEqual(cells.map((text) => ['rp-1', text]));
  });

  it('of reports with more cells in a row than columns is refused: an amount of 1,500 is not 1', async () => {
    const file = fileOf('rupa_id,event,amount\nrp-1,loan_disbursed,1,500\n');
    await expect(Array.fromAsync(reportsIn(file))).rejects.toThrow('row 2 has more cells than the first row has columns');
    const ended = fileOf('rupa_id,event,amount\nrp-1,loan_disbursed,1500,,\n');
    expect(await Array.fromAsync(reportsIn(ended))).toStrictEqual([{ rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1500 }]);
  });
});
