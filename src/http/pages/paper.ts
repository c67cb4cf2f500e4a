/**
 * A column of a table on paper. Cells of `number`, `amount` and `count` are aligned right: `amount` is for tables with several amounts, `count`
 * for short numbers. Cells of `time` are ISO 8601, those of `code` are hashes and the like.
 */
export interface Column {
  readonly head: string;
  readonly kind?: 'number' | 'amount' | 'count' | 'time' | 'code';
}

export interface Row {
  /** One per column, as text. */
  readonly cells: readonly string[];
  /** True for a row that is emphasized, such as a balance. */
  readonly isBalance?: boolean;
}

export interface PaperTable {
  readonly title: string;
  /**
   * `short` for a table that fits on a page. On narrow screens the rows of the others are stacked: those of `movements`, which have one number,
   * beside it, and those of `stacked` with the head of its column beside each cell.
   */
  readonly form: 'movements' | 'stacked' | 'short';
  readonly intro?: string;
  readonly columns: readonly Column[];
  /** To be read once. Without any, the table says "None." */
  readonly rows: AsyncIterable<Row> | Iterable<Row>;
  /** The sum in the last column; a table may have none. */
  readonly total?: string;
}

/** Text whose codes and times (ISO 8601) an HTML page marks up. */
export type Sentence = readonly (string | { readonly code: string } | { readonly time: string })[];

/** The content of a document to print, which {@link paperPage} renders as HTML and {@link paperPdf} as PDF. */
export interface Paper {
  /** Title of the document, which its pages do not show. */
  readonly title: string;
  /** Who issues the document; null if that is not known. */
  readonly author: string | null;
  /** ISO 8601. The document is the same, byte for byte, for the same content and time. */
  readonly madeAt: string;
  readonly heading: string;
  /** The person or company that the document is about. */
  readonly whose: string;
  readonly facts: readonly Sentence[];
  /** Warnings. */
  readonly notes: readonly string[];
  /** Tables, and sentences between them. Their rows are to be read in this order. */
  readonly parts: readonly (PaperTable | string)[];
  /** Identifies a sheet that was separated from the others. */
  readonly foot: string;
}

/** The sentence of a table without rows. */
export const NO_ROWS = 'None.';

/** Returns a time as documents show it, such as "2026-03-09 14:31". */
export function minuteOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}
