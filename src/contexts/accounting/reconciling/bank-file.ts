import { ValidationFailed } from '../../../kernel/validation-failed.js';
import {
  type BankColumns,
  COLUMN_FIELDS,
  findHeader,
  likelyHeader,
  nameKey,
  type Table,
  UnreadableBankFile,
} from '../domain/reconciling/bank-columns.js';
import { type BankRows, bankRows } from '../domain/reconciling/bank-rows.js';
import { readTables } from './bank-table.js';

/** The rows of a bank's file that were understood. */
export interface BankFile {
  /** The sheet that was read; null for a text. */
  readonly sheet: string | null;
  readonly file: BankRows;
}

/** Returns the rows of the first table that has the columns. @throws ValidationFailed with a sentence that names the columns of the file */
export async function fileOf(bytes: Uint8Array, columns: BankColumns): Promise<BankFile> {
  const tables = await tablesOf(bytes);
  for (const { sheet, rows } of tables) {
    const header = findHeader(rows, columns);
    if (!header) continue;
    const file = bankRows(rows, header, sheet === null);
    if (file.rows.length > 0) return { sheet, file };
    throw refused(`No row has a date in the column ${quoted(columns.date)} and an amount in ${amountsOf(columns)}.`);
  }
  throw new ValidationFailed(missingColumns(tables, columns));
}

/** Reads the tables of a bank's file. @throws ValidationFailed */
export async function tablesOf(bytes: Uint8Array): Promise<Table[]> {
  try {
    return await readTables(bytes);
  } catch (error) {
    throw error instanceof UnreadableBankFile ? refused(error.message) : error;
  }
}

function refused(sentence: string): ValidationFailed {
  return new ValidationFailed({ file: [sentence] });
}

function missingColumns(tables: readonly Table[], columns: BankColumns): Record<string, string[]> {
  const headers = tables.flatMap(({ rows }) => likelyHeader(rows) ?? []);
  const [best] = headers.toSorted((one, other) => other.score - one.score);
  if (!best) return { file: ['No row of the file looks like the names of columns. The file must be a table as CSV or XLSX.'] };
  const names = best.names.map(quoted).join(', ');
  const has = (column: string): number => best.names.filter((name) => nameKey(name) === nameKey(column)).length;
  const wrong = COLUMN_FIELDS.filter((field) => columns[field] && has(columns[field]) !== 1);
  const sentence = (column: string): string =>
    `The file has ${has(column) === 0 ? 'no column' : 'more than one column'} ${quoted(column)}. Its columns are ${names}.`;
  if (wrong.length > 0) return Object.fromEntries(wrong.map((field) => [field, [sentence(columns[field] ?? '')]]));
  return { file: [`No row of the file has all of the columns that were named. Its columns are ${names}.`] };
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function amountsOf({ amount, credit, debit }: BankColumns): string {
  return [amount, credit, debit].flatMap((name) => (name ? [quoted(name)] : [])).join(' or ');
}
