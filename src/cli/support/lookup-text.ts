import { type LookupExplanation } from '../../contexts/lookups/explaining/explain-lookup.query.js';
import { formatNaira, toKobo } from '../../kernel/money.js';
import { printable } from './output.js';

/** Explains a charged lookup in lines of text. */
export function lookupText(found: LookupExplanation): string {
  const { partner, key, rupa_id, source, consent_granted, charged_at, revision, sections, amount, price_book_version, breakdown } = found;
  const { request_id, trace_id, events } = found;
  const consent = consent_granted ? ', which recorded the consent' : '';
  const facts: [string, string][] = [
    ['partner', `${printable(partner.company_name)} (${partner.partner_id}), ${partner.account_type}, ${partner.mode}`],
    ['key', key.label === null ? key.key_id : `${key.key_id} (${printable(key.label)})`],
    ['farmer', `${rupa_id}, source "${printable(source)}"${consent}`],
    ['when', `${charged_at}, revision ${revision} of the wallet`],
    ['request', `${printable(request_id)}${trace_id === null ? '' : `, trace ${trace_id}`}`],
    ['sections', sections.join(', ')],
    ['charged', `NGN ${naira(amount)} by version ${price_book_version} of the price book`],
  ];
  const width = Math.max(...Object.keys(breakdown).map(({ length }) => length));
  const fees = Object.entries(breakdown).map(([fee, each]): [string, string] => ['', `${fee.padEnd(width)}  ${naira(each).padStart(12)}`]);
  const log = events.map(({ stream, revision: at, position, type }, index): [string, string] => [
    index === 0 ? 'log' : '',
    `${stream} at ${at}, position ${position}: ${type}`,
  ]);
  return [
    `Lookup ${found.lookup_id}`,
    ...[...facts, ...fees, ...log, ['outcome', outcome(found)] as const].map(([name, value]) => `  ${name.padEnd(8)}  ${value}`),
  ].join('\n');
}

function outcome({ outcome: end }: LookupExplanation): string {
  switch (end.status) {
    case 'settled':
      return `settled at ${end.at}, revision ${end.revision}: the response was sent`;
    case 'refunded':
      return `refunded at ${end.at}, revision ${end.revision}: ${printable(end.reason)}`;
    case 'compensated':
      return `compensated at ${end.at}, revision ${end.revision}: ${printable(end.reason)}`;
    case 'open':
      return 'open: neither settled nor refunded yet';
  }
}

function naira(amount: number): string {
  return formatNaira(toKobo(amount));
}
