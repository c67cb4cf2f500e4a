import { escapeHtml, htmlPageOf } from './page.js';
import { type Column, minuteOf, NO_ROWS, type Paper, type PaperTable, type Row, type Sentence } from './paper.js';
import { PRINT_STYLE } from './print-style.js';

/** Yields the document as an HTML page, for screens and A4 paper. */
export function paperPage(paper: Paper): AsyncIterable<string> {
  return htmlPageOf(paper.title, PRINT_STYLE, main(paper));
}

async function* main({ heading, whose, facts, notes, parts }: Paper): AsyncGenerator<string> {
  yield `<main>
<h1>${escapeHtml(heading)}</h1>
<p class="whose">${escapeHtml(whose)}</p>
${facts.map((fact) => `<p>${marked(fact)}</p>\n`).join('')}${notes.map((note) => `<p class="note">${escapeHtml(note)}</p>\n`).join('')}`;
  for (const part of parts)
    if (typeof part === 'string') yield `<p>${escapeHtml(part)}</p>\n`;
    else yield* table(part);
  yield '</main>';
}

function marked(sentence: Sentence): string {
  return sentence
    .map((part) => {
      if (typeof part === 'string') return escapeHtml(part);
      return 'code' in part ? `<span class="code">${escapeHtml(part.code)}</span>` : time(part.time);
    })
    .join('');
}

function time(iso: string): string {
  return `<time datetime="${escapeHtml(iso)}">${escapeHtml(minuteOf(iso))}</time>`;
}

async function* table({ title, form, intro, columns, rows, total }: PaperTable): AsyncGenerator<string> {
  const name = escapeHtml(title);
  const head = columns.map((column) => `<th scope="col"${classOf(column)}>${escapeHtml(column.head)}</th>`).join('');
  const beginning = `${intro === undefined ? '' : `<p>${escapeHtml(intro)}</p>\n`}<div class="wide" role="region" aria-label="${name}" tabindex="0">
<table class="${form}">
<caption>${name}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
`;
  yield `<h2>${name}</h2>\n`;
  let empty = true;
  for await (const row of rows) {
    if (empty) yield beginning;
    empty = false;
    yield `<tr${row.isBalance ? ' class="balance"' : ''}>${cellsOf(columns, row, form === 'stacked')}</tr>\n`;
  }
  if (empty) {
    yield `<p>${NO_ROWS}</p>\n`;
    return;
  }
  yield '</tbody>\n';
  if (total !== undefined)
    yield `<tfoot><tr><th scope="row" colspan="${columns.length - 1}">Total</th><td class="number">${escapeHtml(total)}</td></tr></tfoot>\n`;
  yield '</table>\n</div>\n';
}

function cellsOf(columns: readonly Column[], { cells }: Row, isStacked: boolean): string {
  return columns
    .map((column, index) => {
      const cell = cells[index] ?? '';
      const html = column.kind === 'time' ? time(cell) : escapeHtml(cell);
      const head = isStacked ? ` data-head="${escapeHtml(column.head)}"` : '';
      return index === 0 ? `<th scope="row"${classOf(column)}>${html}</th>` : `<td${classOf(column)}${head}>${html}</td>`;
    })
    .join('');
}

function classOf({ kind }: Column): string {
  return kind === undefined ? '' : ` class="${kind}"`;
}
