import { escapeHtml, htmlPageOf, pageHeaders } from '../../../http/pages/page.js';
import { PRINT_STYLE } from '../../../http/pages/print-style.js';
import { mapped } from '../../../platform/mapped.js';
import { type FarmerRecordView } from '../recording/farmer-responses.dto.js';
import { type UnreadFarmerReport } from './get-farmer-report.query.js';

export const FARMER_REPORT_HEADERS = pageHeaders(PRINT_STYLE);

/** Yields the report as an HTML page to hand to the farmer, for screens and A4 paper. */
export function farmerReportPage(found: UnreadFarmerReport, record?: FarmerRecordView | null): AsyncIterable<string> {
  return htmlPageOf(`Use of a farmer’s data: ${found.rupa_id}`, PRINT_STYLE, main(found, record));
}

async function* main(found: UnreadFarmerReport, record: FarmerRecordView | null | undefined): AsyncGenerator<string> {
  const { rupa_id, mode, registered_at, erased_at, made_at, consents, lookups, reports } = found;
  const partnerCells = ({ company_name, account_type }: { readonly company_name: string; readonly account_type: string }): string[] => [
    escapeHtml(company_name),
    account_type,
  ];
  const notes = [
    ...(erased_at === null
      ? []
      : [`All personal data in this record was erased on ${time(erased_at)}. This report identifies the farmer by the Rupa ID only.`]),
    ...(mode === 'sandbox' ? ['Sandbox: this farmer is fictitious.'] : []),
  ];
  yield `<main>
<h1>Who used this farmer’s data</h1>
<p class="whose">Rupa ID ${escapeHtml(rupa_id)}</p>
<p>Registered on ${time(registered_at)}. This report covers everything up to ${time(made_at)}. All times are in UTC.</p>
${notes.map((note) => `<p class="note">${note}</p>`).join('\n')}
`;
  yield* table(
    'Consents held',
    ['Granted', 'Partner', 'Account type', 'Purpose', 'Lookups', 'Last lookup'],
    mapped(consents, (each) => [
      time(each.granted_at),
      ...partnerCells(each),
      escapeHtml(each.source),
      String(each.access_count),
      time(each.last_accessed_at),
    ]),
  );
  yield* table(
    'Lookups',
    ['Time', 'Partner', 'Account type', 'Purpose', 'Sections'],
    mapped(lookups, (each) => [
      time(each.looked_up_at),
      ...partnerCells(each),
      escapeHtml(each.source),
      `${each.sections.join(', ')}${each.refunded ? ' (failed and refunded)' : ''}`,
    ]),
  );
  yield* table(
    'Reports',
    ['Occurred', 'Partner', 'Account type', 'Event'],
    mapped(reports, (each) => [time(each.occurred_at), ...partnerCells(each), each.event.replaceAll('_', ' ')]),
  );
  if (record) yield recordTable(record);
  yield '</main>';
}

/** Returns the record, one field per line. */
function recordTable(record: FarmerRecordView): string {
  const lines = leaves(record).map(([path, value]) => `<tr><th scope="row">${escapeHtml(path)}</th><td>${escapeHtml(value)}</td></tr>`);
  return `<h2>Record</h2>
<div class="wide" role="region" aria-label="Record" tabindex="0">
<table>
<caption>Record</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table>
</div>
`;
}

/** Returns the path and the text of every value in an object, without those that are null. */
function leaves(value: unknown, path: readonly string[] = []): readonly (readonly [path: string, text: string])[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[path.join('.'), typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, item]) => leaves(item, [...path, name]));
}

function time(iso: string): string {
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`;
}

/** Yields a titled table. Cells are HTML, so the caller escapes them. */
async function* table(title: string, heads: readonly string[], lines: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  const cells = ([first = '', ...others]: readonly string[]): string =>
    `<th scope="row" class="time">${first}</th>${others.map((cell) => `<td>${cell}</td>`).join('')}`;
  let empty = true;
  for await (const line of lines) {
    if (empty)
      yield `<h2>${title}</h2>
<div class="wide" role="region" aria-label="${title}" tabindex="0">
<table>
<caption>${title}</caption>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
`;
    empty = false;
    yield `<tr>${cells(line)}</tr>\n`;
  }
  yield empty ? `<h2>${title}</h2>\n<p>None.</p>\n` : '</tbody>\n</table>\n</div>\n';
}
