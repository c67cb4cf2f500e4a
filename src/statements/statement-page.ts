import { escapeHtml, htmlPage, pageHeaders } from '../http/page.js';
import { formatNaira } from '../wallet/domain/money.js';
import { type PartnerStatement } from './get-statement.query.js';
import { daysOf, lastBalance, monthName } from './statement-words.js';

const STYLE = `
:root { color-scheme: light; --ink: #1c2a1e; --soft: #4d5b50; --line: #c9d1c6; --band: #f1f4ee; }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1.25rem; background: #fff; color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 50rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; break-after: avoid; }
p { margin: .35rem 0; color: var(--soft); }
.whose { margin-top: .75rem; color: var(--ink); font-weight: 600; }
.note { margin: 1rem 0 0; padding: .6rem .9rem; border: 1px solid var(--line); border-left: .35rem solid #a15c00; color: var(--ink); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375em; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
thead th, tfoot th, tfoot td, .balance th, .balance td { font-weight: 700; }
thead th { background: var(--band); overflow-wrap: normal; }
.number { width: 8.5em; text-align: right; white-space: nowrap; overflow-wrap: normal; font-variant-numeric: tabular-nums lining-nums; }
.time { white-space: nowrap; font-variant-numeric: tabular-nums lining-nums; }
@media (max-width: 40rem) { .number { width: auto; } .time { white-space: normal; } }
@page { size: A4; margin: 18mm 16mm; }
@media print {
  body { padding: 0; font-size: 10pt; }
  main { max-width: none; }
  .wide { overflow: visible; }
  thead { display: table-header-group; }
  tfoot { display: table-row-group; }
  tr { break-inside: avoid; }
  thead th { print-color-adjust: exact; }
}
`;

export const STATEMENT_PAGE_HEADERS = pageHeaders(STYLE);

interface Column {
  readonly head: string;
  readonly kind?: 'number' | 'time';
}
/** HTML, a cell a column. */
type Line = readonly string[];

const TIME: Column = { head: 'Time (UTC)', kind: 'time' };
const TIMES: Column = { head: 'Times', kind: 'number' };
const NGN: Column = { head: 'NGN', kind: 'number' };

/** For people, on a screen and on A4. */
export function statementPage(found: PartnerStatement): string {
  const { partner_id, company_name, mode, complete, month, lookups } = found;
  const notes = [...(complete ? [] : ['The month is not over: this is how it stands so far.']), ...(mode === 'sandbox' ? ['Sandbox: this is play money.'] : [])];
  return htmlPage(
    `Wallet statement ${month.name}: ${company_name}`,
    STYLE,
    `<main>
<h1>Wallet statement, ${monthName(month)}</h1>
<p class="whose">${escapeHtml(company_name)}</p>
<p>Partner ${escapeHtml(partner_id)}</p>
<p>${daysOf(month)} (UTC), amounts in naira (NGN)</p>
${notes.map((note) => `<p class="note">${note}</p>`).join('\n')}
${summary(found)}
<p>${lookups} look-up${lookups === 1 ? ' was' : 's were'} charged. What failed was charged first and comes back under refunds.</p>
${details(found)}
</main>`,
  );
}

function details({ credits, sections, pass_through, refunds, totals_kobo }: PartnerStatement): string {
  const charged = (name: string, { count, amount_kobo }: { readonly count: number; readonly amount_kobo: number }): Line => [escapeHtml(name), String(count), naira(-amount_kobo)];
  const received = (of: string, { recorded_at, reason, amount_kobo }: { readonly recorded_at: string; readonly reason: string | null; readonly amount_kobo: number }): Line => [
    `<time datetime="${recorded_at}">${recorded_at.slice(0, 10)} ${recorded_at.slice(11, 16)}</time>`,
    escapeHtml(of),
    escapeHtml(reason ?? '–'),
    naira(amount_kobo),
  ];
  return [
    table('Credits', [TIME, { head: 'Reference' }, { head: 'Reason' }, NGN], credits.map((line) => received(line.reference, line)), totals_kobo.credits),
    table('Look-ups by section', [{ head: 'Section' }, TIMES, NGN], sections.map((line) => charged(line.section, line)), -totals_kobo.sections),
    table('Pass-through fees by provider', [{ head: 'Provider' }, TIMES, NGN], pass_through.map((line) => charged(line.provider, line)), -totals_kobo.pass_through),
    table('Refunds', [TIME, { head: 'Look-up' }, { head: 'Reason' }, NGN], refunds.map((line) => received(line.lookup_id, line)), totals_kobo.refunds),
  ].join('\n');
}

function summary(found: PartnerStatement): string {
  const { opening_balance_kobo, totals_kobo, closing_balance_kobo } = found;
  const row = (name: string, kobo: number, kind = ''): string => `<tr${kind}><th scope="row">${name}</th><td class="number">${naira(kobo)}</td></tr>`;
  return `<h2>Summary</h2>
<table>
<caption>Summary</caption>
<thead><tr><th scope="col">Movement</th><th scope="col" class="number">NGN</th></tr></thead>
<tbody>
${row('Opening balance', opening_balance_kobo, ' class="balance"')}
${row('Credits', totals_kobo.credits)}
${row('Look-ups', -totals_kobo.sections)}
${row('Pass-through fees', -totals_kobo.pass_through)}
${row('Refunds', totals_kobo.refunds)}
${row(lastBalance(found), closing_balance_kobo, ' class="balance"')}
</tbody>
</table>`;
}

function table(title: string, columns: readonly Column[], lines: readonly Line[], total_kobo: number): string {
  if (lines.length === 0) return `<h2>${title}</h2>\n<p>None.</p>`;
  const of = ({ kind }: Column): string => (kind === undefined ? '' : ` class="${kind}"`);
  const head = columns.map((column) => `<th scope="col"${of(column)}>${column.head}</th>`).join('');
  const cells = (line: Line): string => columns.map((column, place) => (place === 0 ? `<th scope="row"${of(column)}>${line[0] ?? ''}</th>` : `<td${of(column)}>${line[place] ?? ''}</td>`)).join('');
  return `<h2>${title}</h2>
<div class="wide" role="region" aria-label="${title}" tabindex="0">
<table>
<caption>${title}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${lines.map((line) => `<tr>${cells(line)}</tr>`).join('\n')}
</tbody>
<tfoot><tr><th scope="row" colspan="${columns.length - 1}">Total</th><td class="number">${naira(total_kobo)}</td></tr></tfoot>
</table>
</div>`;
}

/** With a minus sign that reads as one. */
function naira(kobo: number): string {
  return formatNaira(kobo).replace('-', '−');
}
