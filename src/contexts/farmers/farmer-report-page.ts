import { escapeHtml, htmlPage, pageHeaders } from '../../http/page.js';
import { PRINT_STYLE } from '../../http/print-style.js';
import { type FarmerReport } from './farmer-report-responses.dto.js';

export const FARMER_REPORT_HEADERS = pageHeaders(PRINT_STYLE);

/** What is handed to a farmer who asks: for people, on a screen and on A4. */
export function farmerReportPage({ rupa_id, mode, registered_at, erased_at, made_at, consents, lookups, reports }: FarmerReport): string {
  const who = ({ company_name, account_type }: { readonly company_name: string; readonly account_type: string }): string[] => [
    escapeHtml(company_name),
    account_type,
  ];
  const notes = [
    ...(erased_at === null
      ? []
      : [
          `Everything personal in this record was erased on ${time(erased_at)}. What is listed here names the farmer by the Rupa ID alone.`,
        ]),
    ...(mode === 'sandbox' ? ['Sandbox: this farmer never lived.'] : []),
  ];
  return htmlPage(
    `Use of a farmer’s data: ${rupa_id}`,
    PRINT_STYLE,
    `<main>
<h1>Who used this farmer’s data</h1>
<p class="whose">Rupa ID ${escapeHtml(rupa_id)}</p>
<p>Registered ${time(registered_at)}; everything up to ${time(made_at)}. All times are UTC.</p>
${notes.map((note) => `<p class="note">${note}</p>`).join('\n')}
${table(
  'Consents held',
  ['Granted', 'Partner', 'Kind', 'Purpose', 'Lookups', 'Last lookup'],
  consents.map((each) => [
    time(each.granted_at),
    ...who(each),
    escapeHtml(each.source),
    String(each.access_count),
    time(each.last_accessed_at),
  ]),
)}
${table(
  'Lookups',
  ['Time', 'Partner', 'Kind', 'Purpose', 'Sections'],
  lookups.map((each) => [
    time(each.looked_up_at),
    ...who(each),
    escapeHtml(each.source),
    `${each.sections.join(', ')}${each.refunded ? ' (the answer failed)' : ''}`,
  ]),
)}
${table(
  'Reports',
  ['Occurred', 'Partner', 'Kind', 'What'],
  reports.map((each) => [time(each.occurred_at), ...who(each), each.event.replaceAll('_', ' ')]),
)}
</main>`,
  );
}

function time(iso: string): string {
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`;
}

/** Cells are HTML. */
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
