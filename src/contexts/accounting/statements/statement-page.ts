import { escapeHtml, htmlPageOf, pageHeaders } from '../../../http/pages/page.js';
import { PRINT_STYLE } from '../../../http/pages/print-style.js';
import { formatNaira } from '../../../kernel/money.js';
import { mapped } from '../../../platform/mapped.js';
import { type Head, type PartnerStatement } from './get-statement.query.js';
import { asOfLabel, closingBalanceLabel, creditLabel, daysOf, issuerLabel, monthName } from './statement-labels.js';

export const STATEMENT_PAGE_HEADERS = pageHeaders(PRINT_STYLE);

interface Column {
  readonly head: string;
  readonly kind?: 'number' | 'time';
}
/** The cells of a row as HTML, one per column. */
type Line = readonly string[];

const TIME: Column = { head: 'Time (UTC)', kind: 'time' };
const COUNT: Column = { head: 'Count', kind: 'number' };
const NGN: Column = { head: 'NGN', kind: 'number' };

/** Yields a statement as an HTML page, for screens and A4 paper. */
export function statementPage(found: PartnerStatement): AsyncIterable<string> {
  return htmlPageOf(`Wallet statement ${found.month.name}: ${found.company_name}`, PRINT_STYLE, main(found));
}

async function* main(found: PartnerStatement): AsyncGenerator<string> {
  const { statement_number, made_at, as_of_index, issuer, partner_id, company_name, mode, complete, month, lookups } = found;
  const issued = issuerLabel(issuer);
  const notes = [
    ...(complete ? [] : ['The month is not closed yet, so this statement is preliminary.']),
    ...(mode === 'sandbox' ? ['Sandbox: this is play money.'] : []),
  ];
  yield `<main>
<h1>Wallet statement, ${monthName(month)}</h1>
<p class="whose">${escapeHtml(company_name)}</p>
<p>Partner ${escapeHtml(partner_id)}</p>
<p>Statement <span class="code">${escapeHtml(statement_number)}</span>, made <time datetime="${made_at}">${minuteOf(made_at)}</time> (UTC)${asOfLabel(as_of_index)}</p>
${issued === '' ? '' : `<p>${escapeHtml(issued)}</p>\n`}<p>${daysOf(month)} (UTC), amounts in naira (NGN)</p>
${notes.map((note) => `<p class="note">${note}</p>`).join('\n')}
${summary(found)}
<p>${lookups} lookup${lookups === 1 ? ' was' : 's were'} charged. Failed lookups are included, and their charges are listed under refunds.</p>
`;
  yield* details(found);
  yield heads(found);
  yield '</main>';
}

async function* details({ credits, sections, pass_through, refunds, totals_kobo }: PartnerStatement): AsyncGenerator<string> {
  const charged = (name: string, { count, amount_kobo }: { readonly count: number; readonly amount_kobo: number }): Line => [
    escapeHtml(name),
    String(count),
    naira(-amount_kobo),
  ];
  const received = (
    of: string,
    why: string,
    { recorded_at, amount_kobo }: { readonly recorded_at: string; readonly amount_kobo: number },
  ): Line => [`<time datetime="${recorded_at}">${minuteOf(recorded_at)}</time>`, escapeHtml(of), escapeHtml(why), naira(amount_kobo)];
  yield* table(
    'Credits',
    'movements',
    [TIME, { head: 'Reference' }, { head: 'Kind and reason' }, NGN],
    mapped(credits, (line) => received(line.reference, creditLabel(line), line)),
    totals_kobo.credits,
  );
  yield* table(
    'Lookups by section',
    'short',
    [{ head: 'Section' }, COUNT, NGN],
    sections.map((line) => charged(line.section, line)),
    -totals_kobo.sections,
  );
  yield* table(
    'Pass-through fees by provider',
    'short',
    [{ head: 'Provider' }, COUNT, NGN],
    pass_through.map((line) => charged(line.provider, line)),
    -totals_kobo.pass_through,
  );
  yield* table(
    'Refunds',
    'movements',
    [TIME, { head: 'Lookup' }, { head: 'Reason' }, NGN],
    mapped(refunds, (line) => received(line.lookup_id, line.reason ?? '–', line)),
    totals_kobo.refunds,
  );
}

function summary(found: PartnerStatement): string {
  const { opening_balance_kobo, totals_kobo, closing_balance_kobo } = found;
  const row = (name: string, kobo: number, kind = ''): string =>
    `<tr${kind}><th scope="row">${name}</th><td class="number">${naira(kobo)}</td></tr>`;
  return `<h2>Summary</h2>
<table class="short">
<caption>Summary</caption>
<thead><tr><th scope="col">Movement</th><th scope="col" class="number">NGN</th></tr></thead>
<tbody>
${row('Opening balance', opening_balance_kobo, ' class="balance"')}
${row('Credits', totals_kobo.credits)}
${row('Lookups', -totals_kobo.sections)}
${row('Pass-through fees', -totals_kobo.pass_through)}
${row('Refunds', totals_kobo.refunds)}
${row(closingBalanceLabel(found), closing_balance_kobo, ' class="balance"')}
</tbody>
</table>`;
}

/** @param form `short` for a table that fits on a page; the rows of `movements` are stacked on narrow screens */
async function* table(
  title: string,
  form: 'movements' | 'short',
  columns: readonly Column[],
  lines: AsyncIterable<Line> | Iterable<Line>,
  total_kobo: number,
): AsyncGenerator<string> {
  const of = ({ kind }: Column): string => (kind === undefined ? '' : ` class="${kind}"`);
  const head = columns.map((column) => `<th scope="col"${of(column)}>${column.head}</th>`).join('');
  const beginning = `<h2>${title}</h2>
<div class="wide" role="region" aria-label="${title}" tabindex="0">
<table class="${form}">
<caption>${title}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
`;
  const cells = (line: Line): string =>
    columns
      .map((column, index) =>
        index === 0 ? `<th scope="row"${of(column)}>${line[0] ?? ''}</th>` : `<td${of(column)}>${line[index] ?? ''}</td>`,
      )
      .join('');
  let empty = true;
  for await (const line of lines) {
    if (empty) yield beginning;
    empty = false;
    yield `<tr>${cells(line)}</tr>\n`;
  }
  if (empty) yield `<h2>${title}</h2>\n<p>None.</p>\n`;
  else
    yield `</tbody>
<tfoot><tr><th scope="row" colspan="${columns.length - 1}">Total</th><td class="number">${naira(total_kobo)}</td></tr></tfoot>
</table>
</div>
`;
}

/** Shows the wallet's heads, by which the statement can be compared with an export of the wallet. */
function heads({ opening_head, closing_head }: PartnerStatement): string {
  const row = (name: string, { revision, hash }: Head): string =>
    `<tr><th scope="row">${name}</th><td class="number">${revision}</td><td class="code">${hash}</td></tr>`;
  return `<h2>Wallet at opening and closing</h2>
<p>An export of the wallet has these hashes at these revisions.</p>
<div class="wide" role="region" aria-label="Wallet at opening and closing" tabindex="0">
<table class="short">
<caption>Wallet at opening and closing</caption>
<thead><tr><th scope="col">At</th><th scope="col" class="number">Revision</th><th scope="col">Hash</th></tr></thead>
<tbody>
${row('Opening', opening_head)}
${row('Closing', closing_head)}
</tbody>
</table>
</div>
`;
}

function minuteOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}

/** Formats an amount with a minus sign (U+2212) instead of a hyphen. */
function naira(kobo: number): string {
  return formatNaira(kobo).replace('-', '−');
}
