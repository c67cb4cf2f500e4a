/** The cells of an entry, or the headings, as text. */
export interface ReplayCells {
  readonly revision: string;
  readonly time: string;
  readonly type: string;
  readonly amount: string;
  readonly balance: string;
  readonly what: string;
}

/** A terminal with so many columns shows the longest usual entry, a lookup with two ids, in one line. */
const WIDE_COLUMNS = 160;
const INDENT = ' '.repeat(9);

/**
 * Formats an entry with right-aligned numbers. On a narrower terminal the columns have less space, and the last one, which may have any
 * length, is wrapped below them, so that a line has at most 80 characters up to amounts of a million million kobo.
 * @param columns of the terminal; undefined if the output goes elsewhere, where every entry stays on one line
 */
export function replayLine({ revision, time, type, amount, balance, what }: ReplayCells, columns: number | undefined): string {
  if (columns === undefined || columns >= WIDE_COLUMNS)
    return `${revision.padStart(9)}  ${time.padEnd(24)}  ${type.padEnd(17)}  ${amount.padStart(18)}  ${balance.padStart(18)}  ${what}\n`;
  const entry = `${revision.padStart(8)} ${time.padEnd(24)} ${type.padEnd(17)} ${amount.padStart(13)} ${balance.padStart(14)}\n`;
  const characters = Array.from(what);
  const width = Math.max(columns - INDENT.length, 1);
  const lines = Array.from({ length: Math.ceil(characters.length / width) }, (_, line) =>
    characters.slice(line * width, (line + 1) * width).join(''),
  );
  return entry + lines.map((line) => `${INDENT}${line}\n`).join('');
}
