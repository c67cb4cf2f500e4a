import Table from 'cli-table3';
import { printable } from './output.js';

/** Space that cli-table3 puts around the text of a cell, and the border between two columns. */
const PADDING = 2;
const BORDER = 1;
/** A column that is narrowed keeps this many characters, even if the table is then wider than the terminal. */
const NARROWEST = 8;

/**
 * Draws a table, with {@link printable} cells. On a terminal the widest columns are narrowed, and their text is wrapped, until the table
 * fits. Elsewhere, for example in a pipe, every row stays on one line.
 * @param rightAligned columns with numbers, which are not narrowed
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  rightAligned: readonly number[] = [],
): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? printable(cell) : cell)));
  const natural = head.map((title, column) => Math.max(...[title, ...cells.map((row) => row[column])].map(widthOf)));
  const widths = process.stdout.isTTY ? fitted(natural, rightAligned, process.stdout.columns) : natural;
  const narrowed = widths.some((width, column) => width < (natural[column] ?? 0));
  const drawn = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (rightAligned.includes(column) ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
    ...(narrowed && { colWidths: widths.map((width) => width + PADDING), wordWrap: true, wrapOnWordBoundary: false }),
  });
  drawn.push(...cells);
  return drawn.toString();
}

function widthOf(cell: string | number | undefined): number {
  return Array.from(String(cell ?? '')).length;
}

/** Takes characters from the widest column that may be narrowed, one at a time, until the table has at most `columns` characters a line. */
function fitted(natural: readonly number[], fixed: readonly number[], columns: number): number[] {
  const widths = [...natural];
  const tooWide = (): boolean => widths.reduce((sum, width) => sum + width + PADDING + BORDER, BORDER) > columns;
  while (tooWide()) {
    const widest = Math.max(...widths.filter((_, column) => !fixed.includes(column)));
    if (widest <= NARROWEST) break;
    const column = widths.findIndex((width, index) => width === widest && !fixed.includes(index));
    widths[column] = widest - 1;
  }
  return widths;
}
