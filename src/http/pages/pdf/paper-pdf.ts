import { setImmediate } from 'node:timers/promises';
import { type Column, minuteOf, NO_ROWS, type Paper, type PaperTable, type Sentence } from '../paper.js';
import { type Weight } from './fonts.js';
import { type Color, Sheets } from './sheets.js';
import { linesOf, type TextLine, type TextStyle } from './text-lines.js';

interface ParagraphStyle extends TextStyle {
  readonly color: Color;
  /** Points left free above the text. */
  readonly above: number;
}

const HEADING: ParagraphStyle = { weight: 'bold', size: 17, color: 'ink', above: 0 };
const WHOSE: ParagraphStyle = { weight: 'bold', size: 11, color: 'ink', above: 6 };
const FACT: ParagraphStyle = { weight: 'regular', size: 9, color: 'soft', above: 3 };
const SENTENCE: ParagraphStyle = { ...FACT, above: 8 };
const TITLE: ParagraphStyle = { weight: 'bold', size: 11, color: 'ink', above: 0 };
const CELL_SIZE = 8.5;
/** A hash of 64 characters fits into a line. */
const CODE_SIZE = 7;

/** Points between a cell's text and its sides, and above and below it. */
const [BESIDE_TEXT, OVER_TEXT] = [4, 2.5];
/**
 * Points of columns whose content has a known length: the largest balance, an amount below a billion, a count, a minute, a hash. The others
 * share the rest. A text that is too long for its column takes several lines; a number is drawn smaller, because one in parts could be misread.
 */
const WIDTHS = { number: 106, amount: 68, count: 48, time: 80, code: 286 } as const;
const RIGHT: ReadonlySet<Column['kind']> = new Set(['number', 'amount', 'count']);
/** Points from a title to the end of a sheet, below which the title goes to the next sheet with its table. */
const TITLE_TO_END = 90;

/** The place of a column. */
interface Place {
  readonly kind: Column['kind'];
  /** Points from the left margin. */
  readonly x: number;
  readonly width: number;
}

/** The lines of a cell. */
interface Cell {
  readonly place: Place;
  readonly size: number;
  readonly lines: readonly TextLine[];
}

/**
 * Yields the document as PDF on A4 sheets, with its fonts embedded. A sheet is yielded as soon as it is full, and not kept, so that a document
 * of any length takes little memory. After each sheet, other work of the process gets its turn.
 */
export async function* paperPdf(paper: Paper): AsyncGenerator<Buffer> {
  const sheets = new Sheets(paper);
  for await (const full of drawn(sheets, paper)) {
    if (full === null) continue;
    yield full;
    await setImmediate();
  }
  yield sheets.end();
}

/** Draws the paper. Yields the bytes of full sheets after each row; null if there are none. */
async function* drawn(sheets: Sheets, { heading, whose, facts, notes, parts }: Paper): AsyncGenerator<Buffer | null> {
  paragraph(sheets, heading, HEADING);
  paragraph(sheets, whose, WHOSE);
  for (const fact of facts) paragraph(sheets, plain(fact), FACT);
  for (const text of notes) note(sheets, text);
  for (const part of parts)
    if (typeof part === 'string') paragraph(sheets, part, SENTENCE);
    else yield* table(sheets, part);
}

function paragraph(sheets: Sheets, text: string, style: ParagraphStyle): void {
  sheets.down(style.above);
  for (const line of linesOf(text, style, sheets.width)) sheets.line(line, style.size, { color: style.color });
}

/** Draws a warning, with a bar beside it. */
function note(sheets: Sheets, text: string): void {
  const height = sheets.heightOf(FACT.size);
  sheets.down(SENTENCE.above);
  for (const line of linesOf(text, FACT, sheets.width - 12)) {
    sheets.need(height);
    sheets.fill('mark', height, 3);
    sheets.line(line, FACT.size, { x: 12 });
  }
}

async function* table(sheets: Sheets, { title, intro, columns, rows, total }: PaperTable): AsyncGenerator<Buffer | null> {
  sheets.down(18);
  sheets.need(TITLE_TO_END);
  paragraph(sheets, title, TITLE);
  if (intro !== undefined) paragraph(sheets, intro, FACT);
  sheets.down(4);
  const places = placesOf(columns, sheets.width);
  const heads = places.map((place, at) => cellOf(place, columns[at]?.head ?? '', 'bold', true));
  let isEmpty = true;
  for await (const { cells, isBalance = false } of rows) {
    if (isEmpty)
      sheets.repeat(() => {
        drawRow(sheets, heads, 'band');
      });
    isEmpty = false;
    drawRow(
      sheets,
      places.map((place, at) => cellOf(place, textOf(place, cells[at] ?? ''), isBalance ? 'bold' : 'regular')),
    );
    yield sheets.taken();
  }
  if (isEmpty) paragraph(sheets, NO_ROWS, FACT);
  else if (total !== undefined) drawRow(sheets, totalCells(total, sheets.width));
  sheets.repeat(undefined);
  yield sheets.taken();
}

function placesOf(columns: readonly Column[], width: number): Place[] {
  const known = columns.map(({ kind }) => (kind === undefined ? null : WIDTHS[kind]));
  const left = width - known.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const shared = left / Math.max(1, known.filter((each) => each === null).length);
  let x = 0;
  return columns.map(({ kind }, at) => {
    const place = { kind, x, width: known[at] ?? shared };
    x += place.width;
    return place;
  });
}

/** A sum may be longer than its column, so it has half of the row. */
function totalCells(total: string, width: number): Cell[] {
  return [
    cellOf({ kind: undefined, x: 0, width: width / 2 }, 'Total', 'bold'),
    cellOf({ kind: 'number', x: width / 2, width: width / 2 }, total, 'bold'),
  ];
}

function textOf({ kind }: Place, cell: string): string {
  return kind === 'time' ? minuteOf(cell) : cell;
}

function cellOf(place: Place, text: string, weight: Weight, isHead = false): Cell {
  const size = place.kind === 'code' ? CODE_SIZE : CELL_SIZE;
  const width = place.width - 2 * BESIDE_TEXT;
  if (!RIGHT.has(place.kind) || isHead) return { place, size, lines: linesOf(text, { weight, size }, width) };
  const [line = []] = linesOf(text, { weight, size }, Infinity);
  const needed = line.reduce((sum, run) => sum + run.width, 0);
  if (needed <= width) return { place, size, lines: [line] };
  const smaller = (size * width) / needed;
  return { place, size: smaller, lines: linesOf(text, { weight, size: smaller }, Infinity) };
}

/** Draws a row on one sheet, or line by line on several if it is higher than a sheet. */
function drawRow(sheets: Sheets, cells: readonly Cell[], background?: Color): void {
  const lineHeight = sheets.heightOf(CELL_SIZE);
  const count = Math.max(1, ...cells.map(({ lines }) => lines.length));
  const height = count * lineHeight + 2 * OVER_TEXT;
  sheets.need(height);
  if (background) sheets.fill(background, height);
  sheets.down(OVER_TEXT);
  for (let at = 0; at < count; at += 1) {
    sheets.need(lineHeight);
    for (const { place, size, lines } of cells) {
      const placed = RIGHT.has(place.kind) ? { endsAt: place.x + place.width - BESIDE_TEXT } : { x: place.x + BESIDE_TEXT };
      const line = lines[at];
      if (line) sheets.beside(line, size, placed);
    }
    sheets.down(lineHeight);
  }
  sheets.down(OVER_TEXT);
  sheets.rule();
}

function plain(sentence: Sentence): string {
  return sentence
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'code' in part ? part.code : minuteOf(part.time);
    })
    .join('');
}
