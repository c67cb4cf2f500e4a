import { Unzip, UnzipInflate, zipSync } from 'fflate';
import readXlsxFile from 'read-excel-file/universal';
import { MAX_ROWS, type Table, UnreadableBankFile } from '../domain/reconciling/bank-columns.js';

/** Bytes of all parts of a workbook together. A file of 8 MiB could otherwise unpack to 8 GiB. */
export const MAX_UNPACKED = 48 * 1024 * 1024;
/** Bytes that are unpacked at a time: what they become, up to a thousand times as much, is counted before the next ones. */
const SLICE = 16 * 1024;
const MAX_COLUMNS = 100;
/** The addresses of rows and cells. The library fills the gaps between them, so that two cells far apart would take gigabytes. */
const ADDRESS = /\sr\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const CELL = /^([A-Z]{0,3})(\d{0,7})$/;

/** Returns whether the bytes are a ZIP archive, as a workbook is. */
export function isWorkbook(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04;
}

/** Reads every sheet of an XLSX workbook. A date becomes yyyy-mm-dd, and a number decimal text. @throws UnreadableBankFile */
export async function readWorkbook(bytes: Uint8Array): Promise<Table[]> {
  const parts = unpacked(bytes);
  for (const [name, content] of Object.entries(parts)) if (name.startsWith('xl/worksheets/')) refuseFarCells(content);
  // The library unpacks by sizes that the archive states. It gets an archive of what was unpacked and counted here.
  const archive = zipSync(parts, { level: 0 });
  try {
    const sheets = await readXlsxFile<string>(archive.buffer, { parseNumber: numberText });
    return sheets.map(({ sheet, data }) => ({
      sheet,
      rows: data.map((cells, index) => ({ line: index + 1, cells: cells.map(cellText) })),
    }));
  } catch (error) {
    throw new UnreadableBankFile(`The file is not a workbook that can be read: ${(error as Error).message}`);
  }
}

function unpacked(bytes: Uint8Array): Record<string, Uint8Array> {
  const parts = new Map<string, Uint8Array[]>();
  let size = 0;
  const archive = new Unzip((file) => {
    if (!/\.xml(?:\.rels)?$/.test(file.name)) return;
    const chunks: Uint8Array[] = [];
    parts.set(file.name, chunks);
    file.ondata = (error, chunk) => {
      // The types say that there is always an error.
      if (error as Error | null) throw error as Error;
      size += chunk.length;
      if (size > MAX_UNPACKED)
        throw new UnreadableBankFile(`The workbook unpacks to more than ${MAX_UNPACKED / 1024 / 1024} MiB. ${SHORTER}`);
      chunks.push(chunk);
    };
    file.start();
  });
  archive.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += SLICE) archive.push(bytes.subarray(at, at + SLICE), at + SLICE >= bytes.length);
  } catch (error) {
    if (error instanceof UnreadableBankFile) throw error;
    throw new UnreadableBankFile(`The file is not a workbook that can be read: ${(error as Error).message}.`);
  }
  return Object.fromEntries([...parts].map(([name, chunks]) => [name, new Uint8Array(Buffer.concat(chunks))]));
}

const SHORTER = 'Send the file of a shorter period, or save the sheet as CSV.';

function refuseFarCells(content: Uint8Array): void {
  for (const [, double, single] of Buffer.from(content).toString('latin1').matchAll(ADDRESS)) {
    const [, letters, digits] = CELL.exec(double ?? single ?? '') ?? [];
    if (letters === undefined || columnOf(letters) > MAX_COLUMNS || Number(digits) > MAX_ROWS)
      throw new UnreadableBankFile(`A sheet has a cell beyond row ${MAX_ROWS} or column ${MAX_COLUMNS}. ${SHORTER}`);
  }
}

function columnOf(letters: string): number {
  return Array.from(letters).reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0);
}

/** Writes a number as decimal text. Its two decimals are those of the amount, also where a sum in floating point is a little off. */
function numberText(text: string): string {
  const number = Number(text);
  const cents = number * 100;
  if (!Number.isFinite(number) || Math.abs(number) > 1e13 || Number.isInteger(number))
    return Number.isInteger(number) ? BigInt(number).toString() : text;
  return Math.abs(cents - Math.round(cents)) < 1e-3 ? number.toFixed(2) : text;
}

/** The library's types name the constructor of dates in the place of dates. */
function cellText(cell: unknown): string {
  if (cell instanceof Date) return Number.isNaN(cell.valueOf()) ? '' : cell.toISOString().slice(0, 10);
  return typeof cell === 'string' ? cell : typeof cell === 'boolean' ? String(cell) : '';
}
