import { escapeHtml, htmlPage, pageHeaders } from '../../http/page.js';
import { PRINT_STYLE } from '../../http/print-style.js';
import { type FarmerReport } from './farmer-report-responses.dto.js';

export const FARMER_REPORT_HEADERS = pageHeaders(PRINT_STYLE);

/** Returns the report as an HTML page to hand to the farmer, for screens and A4 paper. */
export function farmerReportPage({ rupa_id, mode, registered_at, erased_at, made_at, consents, lookups, reports }: FarmerReport): string {
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
  return htmlPage(
    `Use of a farmer’s data: ${rupa_id}`,
    PRINT_STYLE,
    `<main>
<h1>Who used this farmer’s data</h1>
<p class="whose">Rupa ID ${escapeHtml(rupa_id)}</p>
<p>Registered on ${time(registered_at)}. This report covers everything up to ${time(made_at)}. All times are in UTC.</p>
${notes.map((note) => `<p class="note">${note}</p>`).join('\n')}
${table(
  'Consents held',
  ['Granted', 'Partner', 'Account type', 'Purpose', 'Lookups', 'Last lookup'],
  consents.map((each) => [
    time(each.granted_at),
    ...partnerCells(each),
    escapeHtml(each.source),
    String(each.access_count),
    time(each.last_accessed_at),
  ]),
)}
${table(
  'Lookups',
  ['Time', 'Partner', 'Account type', 'Purpose', 'Sections'],
  lookups.map((each) => [
    time(each.looked_up_at),
    ...partnerCells(each),
    escapeHtml(each.source),
    `${each.sections.join(', ')}${each.refunded ? ' (failed and refunded)' : ''}`,
  ]),
)}
${table(
  'Reports',
  ['Occurred', 'Partner', 'Account type', 'Event'],
  reports.map((each) => [time(each.occurred_at), ...partnerCells(each), each.event.replaceAll('_', ' ')]),
)}
</main>`,
  );
}

function time(iso: string): string {
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`;
}

/** Returns a titled table. Cells are HTML, so the caller escapes them. */
function table(title: string, heads: readonly string[], lines: readonly (readonly string[])[]): string {
  if (lines.length === 0) return `<h2>${title}</h2>\n<p>None.</p>`;
  const cells = ([first = '', ...others]: readonly string[]): string =>
    `<th scope="row" class="time">${first}</th>${others.map((cell) => `<td>${cell}</td>`).join('')}`;
  return `<h2>${title}</h2>
<div class="wide" role="region" aria-label="${title}" tabindex="0">
<table>
<caption>${title}</caption>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
${lines.map((line) => `<tr>${cells(line)}</tr>`).join('\n')}
</tbody>
</table>
</div>`;
}
