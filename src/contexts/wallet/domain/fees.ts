/** A fee is either the service's own, for a section of the record, or a provider's price that is passed through to the partner. */
export type Fee = { readonly kind: 'section'; readonly section: string } | { readonly kind: 'pass_through'; readonly provider: string };

const SECTION = 'svc_fee.';
const PASS_THROUGH = 'passthrough.';

/** Parses a key of a charge's breakdown, such as `svc_fee.identity`. A key without a known prefix counts as a fee of the service. */
export function feeOf(key: string): Fee {
  if (key.startsWith(PASS_THROUGH)) return { kind: 'pass_through', provider: key.slice(PASS_THROUGH.length) };
  return { kind: 'section', section: key.startsWith(SECTION) ? key.slice(SECTION.length) : key };
}
