import { type BankColumns } from '../../../src/contexts/accounting/domain/reconciling/bank-columns.js';
import { type Movement } from '../../../src/contexts/accounting/domain/reconciling/movements.js';
import { formatNaira } from '../../../src/kernel/money.js';
import { type Cell, workbook } from './workbook.js';

/** The list that a row belongs into, with the reference of its movement or the reason. */
export type Truth = `${'matched' | 'split' | 'different' | 'not_credited' | 'ambiguous' | 'skipped'} ${string}`;

interface Line {
  /** Day of March 2026. */
  readonly day: number;
  /** NGN; negative for money out. */
  readonly naira: number;
  /** The customer's text, which the bank wraps into its own narration; or the bank's own text. */
  readonly text: string;
  readonly isTransfer?: true;
  readonly truth: Truth;
}

export interface BankFileShape {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly columns: BankColumns;
  /** The truth of every row in the order of the file, footers included. */
  readonly truths: readonly Truth[];
}

/** References in the books that no row of a file has. */
export const NOT_IN_FILE = ['INV-2037', 'PO-13'];

/** Returns a payment of a day of March 2026. */
export const payment = (reference: string, day: number, naira: number, more: object = {}): Movement => ({
  kind: 'payment',
  partner_id: 'sahel',
  company_name: 'Sahel Savings Bank',
  revision: day,
  reference,
  cash_kobo: Math.round(naira * 100),
  date: dayOf(day),
  reversed_kobo: 0,
  bank_fee_kobo: 0,
  withheld_tax_kobo: 0,
  ...more,
});

/** The books that every file is compared with. All names and references are made up. */
export const BOOKS: readonly Movement[] = [
  payment('INV-2031', 2, 50_000),
  payment('INV-20311', 2, 60_000),
  payment('INV-2032', 4, 74_950, { bank_fee_kobo: 50_00, partner_id: 'delta' }),
  payment('INV-2033', 5, 114_000, { withheld_tax_kobo: 6_000_00 }),
  payment('INV-2034', 9, 30_000),
  payment('SUB/MAR/7', 9, 12_500.5),
  payment('INV-2035', 10, 40_000),
  payment('INV-2036', 11, 25_000),
  payment('INV-2037', 12, 99_000),
  payment('RENT', 12, 5_000),
  payment('RENT', 12, 5_000, { partner_id: 'delta' }),
  payment('INV-2038', 13, 0, { reversed_kobo: 18_000_00 }),
  {
    kind: 'payout',
    partner_id: 'delta',
    company_name: 'Delta Agro',
    revision: 9,
    reference: 'PO-11',
    cash_kobo: -15_000_00,
    date: dayOf(13),
  },
  {
    kind: 'payout',
    partner_id: 'delta',
    company_name: 'Delta Agro',
    revision: 10,
    reference: 'PO-13',
    cash_kobo: -1_000_00,
    date: dayOf(13),
  },
  { kind: 'entry', entry_kind: 'passthrough_settlement', reference: 'SET-3', cash_kobo: -8_000_00, date: dayOf(16) },
];

/** The rows that each of the banks has. */
const LINES: readonly Line[] = [
  { day: 2, naira: 50_000, text: 'INV-2031', isTransfer: true, truth: 'matched INV-2031' },
  { day: 2, naira: -50, text: 'STAMP DUTY ON ELECTRONIC TRANSFER', truth: 'skipped money_out' },
  { day: 3, naira: 60_000, text: 'payment inv 20311', isTransfer: true, truth: 'matched INV-20311' },
  { day: 3, naira: -26.88, text: 'NIP CHARGE + VAT', truth: 'skipped money_out' },
  { day: 4, naira: 75_000, text: 'INV2032', isTransfer: true, truth: 'matched INV-2032' },
  { day: 5, naira: 114_000, text: 'Inv/2033 less WHT', isTransfer: true, truth: 'matched INV-2033' },
  { day: 6, naira: 10_000, text: 'INV-2034 part 1', isTransfer: true, truth: 'split INV-2034' },
  { day: 9, naira: 20_000, text: 'INV-2034 balance', isTransfer: true, truth: 'split INV-2034' },
  { day: 9, naira: 12_500.5, text: 'SUB MAR 7', isTransfer: true, truth: 'matched SUB/MAR/7' },
  { day: 10, naira: 39_000, text: 'INV-2035', isTransfer: true, truth: 'different INV-2035' },
  { day: 10, naira: 25_000, text: 'INV-2036', isTransfer: true, truth: 'matched INV-2036' },
  { day: 11, naira: 25_000, text: 'INV-2036 AGAIN', isTransfer: true, truth: 'not_credited INV-2036' },
  { day: 11, naira: 7_000, text: 'thanks', isTransfer: true, truth: 'not_credited no_reference' },
  { day: 12, naira: 5_000, text: 'RENT', isTransfer: true, truth: 'ambiguous RENT' },
  { day: 12, naira: 18_000, text: 'INV-2038', isTransfer: true, truth: 'skipped reversed' },
  { day: 13, naira: -18_000, text: 'RVSL INV-2038', isTransfer: true, truth: 'skipped reversed' },
  { day: 13, naira: -15_000, text: 'PO-11 DELTA AGRO', isTransfer: true, truth: 'matched PO-11' },
  { day: 16, naira: -8_000, text: 'SET-3 JANUARY', isTransfer: true, truth: 'matched SET-3' },
  { day: 17, naira: -50, text: 'SMS ALERT CHARGE', truth: 'skipped reversed' },
  { day: 18, naira: 50, text: 'REVERSAL: SMS ALERT CHARGE', truth: 'skipped reversed' },
];

const TRUTHS = LINES.map(({ truth }) => truth);
const TOTAL: Truth = 'skipped total';
const BALANCE: Truth = 'skipped balance';
const EMPTY: Truth = 'skipped no_amount';

function dayOf(day: number): string {
  return `2026-03-${String(day).padStart(2, '0')}`;
}

type Wrap = (text: string, at: number) => string;
const NIP: Wrap = (text, at) => `NIP/SAHEL SAVINGS/${text}/0000132603${String(at).padStart(6, '0')}`;
const amount = (naira: number): string => formatNaira(Math.round(naira * 100));
const plain = (naira: number): string => Math.abs(naira).toFixed(2);
const narrationOf = ({ text, isTransfer }: Line, at: number, wrap: Wrap): string => (isTransfer ? wrap(text, at) : text);

/** Returns a text with a row for each line, and quotes around cells that need them. */
function textOf(separator: string, rows: readonly (readonly string[])[], end = '\r\n'): string {
  const quoted = (cell: string): string => (cell.includes(separator) || /["\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((row) => `${row.map(quoted).join(separator)}${end}`).join('');
}

const dayFirst = (day: number): string => `${String(day).padStart(2, '0')}/03/2026`;

/** Commas, debit and credit columns with grouped amounts in quotes, a running balance, and a row of totals. */
function groupedAmounts(): BankFileShape {
  let balance = 1_000_000;
  const rows = LINES.map((line, at) => {
    balance += line.naira;
    const out = line.naira < 0 ? plain(line.naira) : '';
    return [dayFirst(line.day), narrationOf(line, at, NIP), out, line.naira > 0 ? amount(line.naira) : '', amount(balance)];
  });
  const text = textOf(',', [
    ['Trans Date', 'Narration', 'Debit', 'Credit', 'Balance'],
    ...rows,
    ['Total', '', '41,176.88', '511,550.50', ''],
  ]);
  const columns = { date: 'Trans Date', reference: 'Narration', debit: 'Debit', credit: 'Credit' };
  return { name: 'commas, grouped amounts, a row of totals', bytes: Buffer.from(text), columns, truths: [...TRUTHS, TOTAL] };
}

/** Semicolons below the account's details, month names, one column of amounts with DR and CR, and balances before and after. */
function suffixes(): BankFileShape {
  const wrap: Wrap = (text, at) => `TRANSFER FROM SAHEL SAVINGS REF:${text} SESSION ${at}99887766`;
  const rows = LINES.map((line, at) => [
    `${String(line.day).padStart(2, '0')}-Mar-2026`,
    `${String(line.day).padStart(2, '0')}-Mar-2026`,
    narrationOf(line, at, wrap),
    `₦${amount(Math.abs(line.naira))} ${line.naira < 0 ? 'DR' : 'CR'}`,
  ]);
  const preamble = [['Account Name: Example Data Ltd'], ['Period', '01-Mar-2026; 31-Mar-2026'], ['']];
  const around = (name: string): string[] => ['01-Mar-2026', '', name, '₦1,000,000.00 CR'];
  const table = [['Post Date', 'Value Date', 'Remarks', 'Amount'], around('Opening Balance'), ...rows, around('Closing Balance')];
  const columns = { date: 'Value Date', reference: 'Remarks', amount: 'Amount' };
  return {
    name: 'semicolons, month names, DR and CR',
    bytes: Buffer.from(`\ufeff${textOf(';', [...preamble, ...table])}`),
    columns,
    truths: [BALANCE, ...TRUTHS, BALANCE],
  };
}

/** Tabs in Windows-1252, years of two digits, decimal commas, and the newest row first. */
function newestFirst(): BankFileShape {
  const wrap: Wrap = (text, at) => `FT-${at}5521 café “Sahel” – ${text}`;
  const european = (naira: number): string => amount(Math.abs(naira)).replaceAll(/[.,]/g, (each) => (each === '.' ? ',' : '.'));
  const rows = LINES.map((line, at) => {
    const cells = [`${String(line.day).padStart(2, '0')}.03.26`, narrationOf(line, at, wrap)];
    return line.naira < 0 ? [...cells, european(line.naira), ''] : [...cells, '', european(line.naira)];
  });
  const text = textOf('\t', [['DATE', 'DETAILS', 'PAY OUT', 'PAY IN'], ...rows.toReversed()], '\n');
  const codes: Readonly<Record<string, number>> = { '“': 0x93, '”': 0x94, '–': 0x96, é: 0xe9 };
  const columns = { date: 'date', reference: 'details', credit: 'pay in', debit: 'pay out' };
  const bytes = Buffer.from(Array.from(text, (letter) => codes[letter] ?? letter.charCodeAt(0)));
  return { name: 'tabs, Windows-1252, newest first', bytes, columns, truths: TRUTHS.toReversed() };
}

/** UTF-16 with tabs and spaces in amounts, as a spreadsheet saves “Unicode text”. */
function utf16(): BankFileShape {
  const wrap: Wrap = (text) => `NIBSS Instant Payment Inward ${text} Ọlá & Sons`;
  const rows = LINES.map((line, at) => [
    dayFirst(line.day),
    narrationOf(line, at, wrap),
    `${line.naira < 0 ? '-' : ''}${amount(Math.abs(line.naira)).replaceAll(',', '\u00a0')}`,
  ]);
  const text = `\ufeff${textOf('\t', [['Date', 'Description', 'Amount (NGN)'], ...rows, ['', '', ''], ['Generated on 31/03/2026 10:00']])}`;
  const columns = { date: 'Date', reference: 'Description', amount: 'Amount (NGN)' };
  return { name: 'UTF-16, signed amounts, a footer', bytes: Buffer.from(text, 'utf16le'), columns, truths: [...TRUTHS, EMPTY] };
}

/** Debits in parentheses, times after dates, and a sub-total after each page, where the header is repeated. */
function pages(): BankFileShape {
  const wrap: Wrap = (text, at) => `MOBILE TRF TO EXAMPLE DATA|${text}|USSD${at}`;
  const header = ['Transaction Date', 'Reference', 'Particulars', 'Withdrawals', 'Lodgements', 'Ledger Balance'];
  const rows = LINES.map((line, at) => [
    `${dayFirst(line.day)} 0${at % 10}:15:00 AM`,
    `S${at}`,
    narrationOf(line, at, wrap),
    line.naira < 0 ? `(${amount(-line.naira)})` : '0.00',
    line.naira < 0 ? '0.00' : amount(line.naira),
    '1,000.00',
  ]);
  const breakRows = [['', '', 'Sub-total', '(50.00)', '1.00', ''], [], header];
  const table = [header, ...rows.slice(0, 10), ...breakRows, ...rows.slice(10), ['', '', 'GRAND TOTAL', '(41,176.88)', '511,550.50', '']];
  const columns = { date: 'Transaction Date', reference: 'Particulars', credit: 'Lodgements', debit: 'Withdrawals' };
  const truths: Truth[] = [...TRUTHS.slice(0, 10), TOTAL, 'skipped header', ...TRUTHS.slice(10), TOTAL];
  return { name: 'pages with sub-totals and repeated headers', bytes: Buffer.from(textOf(',', table)), columns, truths };
}

/** A sheet with dates and numbers as such, below a logo's empty rows, after a cover sheet. */
function sheetOfNumbers(): BankFileShape {
  const rows = LINES.map((line, at): Cell[] => [
    { date: dayOf(line.day) },
    narrationOf(line, at, NIP),
    line.naira < 0 ? -line.naira : null,
    line.naira > 0 ? line.naira : null,
  ]);
  const table: Cell[][] = [
    [],
    [],
    [null, 'Account number', '0123456789'],
    ['Value Date', 'Narration', 'Debit', 'Credit'],
    ...rows,
    ['Totals', null, 41_176.88, 511_550.5],
  ];
  const columns = { date: 'Value Date', reference: 'Narration', debit: 'Debit', credit: 'Credit' };
  return {
    name: 'a workbook with dates and numbers',
    bytes: workbook({ Cover: [['Example Data Ltd']], Statement: table }),
    columns,
    truths: [...TRUTHS, TOTAL],
  };
}

/** A sheet on which everything is text, with one column of amounts. */
function sheetOfTexts(): BankFileShape {
  const wrap: Wrap = (text, at) => `CREDIT ALERT: ${text}; sender SAHEL; trace ${at}00`;
  const rows = LINES.map((line, at) => [
    `${line.day} March 2026`,
    narrationOf(line, at, wrap),
    `NGN ${line.naira < 0 ? '-' : ''}${amount(Math.abs(line.naira))}`,
  ]);
  const columns = { date: 'Date', reference: 'Details', amount: 'Amount' };
  return {
    name: 'a workbook of texts',
    bytes: workbook({ Sheet1: [['Date', 'Details', 'Amount'], ...rows, ['*** END ***']] }),
    columns,
    truths: [...TRUTHS, EMPTY],
  };
}

/** ISO dates and plain decimals, with bars, of which money in alone has a column. */
function moneyInAlone(): BankFileShape {
  const rows = LINES.map((line, at) => [`${dayOf(line.day)}T08:00:00Z`, NIP(line.text, at), line.naira > 0 ? plain(line.naira) : '']);
  // Without money out, what was taken back looks as if it was paid, and what was paid out is not in the file.
  const known: Readonly<Record<string, Truth>> = { 'INV-2038': 'different INV-2038' };
  const truths = LINES.map(({ naira, text, truth }): Truth => (naira < 0 ? EMPTY : (known[text] ?? truth)));
  const columns = { date: 'Booked', reference: 'Text', credit: 'Received' };
  return {
    name: 'bars, ISO dates, money in alone',
    bytes: Buffer.from(textOf('|', [['Booked', 'Text', 'Received'], ...rows])),
    columns,
    truths,
  };
}

/** Narrations in quotes over several lines, ordinal dates, signs after amounts, and a row with an unquoted amount that has a comma. */
function wrappedNarrations(): BankFileShape {
  const wrap: Wrap = (text, at) => `TRF\nBO: SAHEL, SAVINGS\n${text}\nSESSION ${at}`;
  const rows = LINES.map((line, at) => [
    `${line.day}th Mar, 2026`,
    narrationOf(line, at, wrap),
    `${amount(Math.abs(line.naira))}${line.naira < 0 ? '-' : ''}`,
  ]);
  const text = `${textOf(',', [['Date', 'Narration', 'Amount'], ...rows])}"9th Mar, 2026",INV-2036,25,000.00\r\n`;
  const columns = { date: 'Date', reference: 'Narration', amount: 'Amount' };
  return {
    name: 'narrations over several lines, an unquoted amount',
    bytes: Buffer.from(text),
    columns,
    truths: [...TRUTHS, 'skipped too_many_cells'],
  };
}

/** Month first, as software from elsewhere writes it, with the naira sign lost and balances with their date. */
function monthFirst(): BankFileShape {
  const wrap: Wrap = (text, at) => `WEB/POS PYMT ${at} ${text}`;
  const rows = LINES.map((line, at) => [
    `3/${line.day}/2026`,
    narrationOf(line, at, wrap),
    line.naira < 0 ? `?${amount(-line.naira)}` : '',
    line.naira > 0 ? `?${amount(line.naira)}` : '',
  ]);
  const balance = (name: string): string[] => ['3/31/2026', name, '', '?1,470,373.62'];
  const table = [
    ['Entry Date', 'Memo', 'Money Out', 'Money In'],
    balance('BALANCE B/F'),
    ...rows,
    balance('Available Balance as at 31 March'),
  ];
  const columns = { date: 'Entry Date', reference: 'Memo', debit: 'Money Out', credit: 'Money In' };
  return {
    name: 'month first, balances with dates',
    bytes: Buffer.from(textOf(',', table)),
    columns,
    truths: [BALANCE, ...TRUTHS, BALANCE],
  };
}

/** Files shaped like the exports of ten banks. */
export const bankFiles = (): BankFileShape[] => [
  groupedAmounts(),
  suffixes(),
  newestFirst(),
  utf16(),
  pages(),
  sheetOfNumbers(),
  sheetOfTexts(),
  moneyInAlone(),
  wrappedNarrations(),
  monthFirst(),
];
