import { describe, expect, it } from '@jest/globals';
import { zipSync } from 'fflate';
import { workbook, workbookOf } from '../../../../test/support/unit/workbook.js';
import { MAX_ROWS } from '../domain/reconciling/bank-columns.js';
import { decoded, readTables } from './bank-table.js';
import { MAX_UNPACKED } from './workbook.js';

const HEADER = 'Date,Narration,Credit';
const cells = async (bytes: Uint8Array) => (await readTables(bytes)).map(({ rows }) => rows.map((row) => row.cells));
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

describe('the text of a bank’s file', () => {
  const text = `${HEADER}\n01/03/2026,Ade & Sons,500\n`;
  const utf16 = (littleEndian: boolean): Buffer => {
    const bytes = Buffer.from(text, 'utf16le');
    return littleEndian ? bytes : bytes.swap16();
  };

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-16 with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(true)])],
    ['UTF-16, big-endian, with a byte order mark', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16(false)])],
    ['UTF-16 without a byte order mark', utf16(true)],
    ['UTF-16, big-endian, without a byte order mark', utf16(false)],
  ])('is decoded from %s', (_encoding, bytes) => {
    expect(decoded(bytes)).toBe(text);
  });

  it('is decoded from UTF-8 with its byte order mark, and from Windows-1252 where it is no UTF-8', () => {
    expect(decoded(Buffer.from(`\ufeff₦5 Ọlá`))).toBe('₦5 Ọlá');
    expect(decoded(Buffer.from([0x41, 0x64, 0xe9, 0x20, 0x96, 0x20, 0x80]))).toBe('Adé – €');
    expect(decoded(Buffer.alloc(0))).toBe('');
  });

  it.each([',', ';', '\t', '|'])('is split at %j, also below lines of the account with other separators', async (separator) => {
    const rows = [
      ['Date', 'Narration', 'Credit'],
      ['01/03/2026', 'TRF "A" INV-1', '5'],
    ].map((row) => row.join(separator));
    const found = await cells(bytesOf(['Account, of: Ade; Sons | Lagos', '', ...rows].join('\r\n')));
    expect(found[0]?.slice(-2)).toStrictEqual([
      ['Date', 'Narration', 'Credit'],
      ['01/03/2026', 'TRF "A" INV-1', '5'],
    ]);
  });

  it('has the lines on which its rows begin, with quotes over several lines', async () => {
    const [table] = await readTables(bytesOf(`${HEADER}\n1,"two\nlines",2\n3,"a ""b"" c",4\n`));
    expect(table?.rows.map(({ line }) => line)).toStrictEqual([1, 2, 4]);
    expect(table?.rows[2]?.cells).toStrictEqual(['3', 'a "b" c', '4']);
  });

  it('is read without quotes if one does not end', async () => {
    expect(await cells(bytesOf(`${HEADER}\n1,"PIPE 5,2\n`))).toStrictEqual([[HEADER.split(','), ['1', '"PIPE 5', '2']]]);
  });

  it('is refused with more rows than can be compared, and as an old workbook or a PDF', async () => {
    await expect(readTables(bytesOf(`${HEADER}\n${'1,a,2\n'.repeat(MAX_ROWS)}`))).rejects.toThrow(`more than ${MAX_ROWS} rows`);
    await expect(readTables(bytesOf('%PDF-1.7'))).rejects.toThrow('The file is a PDF.');
    await expect(readTables(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]))).rejects.toThrow('an old Excel workbook');
  });
});

describe('a workbook', () => {
  it('has a table for each sheet, with dates, numbers and texts as text, and the numbers of its rows', async () => {
    const sheets = {
      Cover: [['Ade & Sons']],
      Statement: [['Date', 'Narration', 'Credit'], [], [{ date: '2026-03-01' }, 'INV-1', 1234.5], [null, '0007', 2031]],
    };
    const tables = await readTables(workbook(sheets));
    expect(tables.map(({ sheet }) => sheet)).toStrictEqual(['Cover', 'Statement']);
    expect(tables[1]?.rows[2]).toStrictEqual({ line: 3, cells: ['2026-03-01', 'INV-1', '1234.50'] });
    expect(tables[1]?.rows[3]).toStrictEqual({ line: 4, cells: ['', '0007', '2031'] });
  });

  it('has amounts with two decimals where a sum in floating point is a little off', async () => {
    const [table] = await readTables(workbook({ One: [[0.1 + 0.2, 71.35 * 3, 50000]] }));
    expect(table?.rows[0]?.cells).toStrictEqual(['0.30', '214.05', '50000']);
  });

  it('is refused if it unpacks to more than is read, whatever sizes it states', async () => {
    const bomb = zipSync({ 'xl/worksheets/sheet1.xml': new Uint8Array(MAX_UNPACKED + 1) });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    await expect(readTables(bomb)).rejects.toThrow('unpacks to more than 48 MiB');
    // The sizes of a part stand in its own header and in the directory at the end.
    const lies = Buffer.from(bomb);
    const directory = lies.lastIndexOf(Buffer.from('PK\x01\x02'));
    lies.writeUInt32LE(10, directory + 24);
    lies.writeUInt32LE(10, 22);
    await expect(readTables(lies)).rejects.toThrow('unpacks to more than 48 MiB');
  });

  it.each(['XFD1', 'A1048576', 'CW1', '&#65;1'])('is refused for a cell at %s, before the gap to it is filled', async (address) => {
    const sheet = `<worksheet><sheetData><row r="1"><c r="${address}"><v>1</v></c></row></sheetData></worksheet>`;
    await expect(readTables(workbookOf(sheet))).rejects.toThrow('A sheet has a cell beyond row 50000 or column 100.');
  });

  it.each([
    ['a ZIP archive of something else', zipSync({ 'a.txt': new Uint8Array(3) })],
    ['an archive that is cut off', workbook({ One: [['a']] }).slice(0, 300)],
    ['the beginning of an archive', Buffer.from('PK\x03\x04')],
  ])('is refused as %s', async (_what, bytes) => {
    await expect(readTables(bytes)).rejects.toThrow('The file is not a workbook that can be read');
  });
});
