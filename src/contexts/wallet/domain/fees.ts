/** Who a fee of a bill is for: the service, for a section of the record, or the provider whose price is passed through. */
export type Fee = { readonly kind: 'section'; readonly section: string } | { readonly kind: 'pass_through'; readonly provider: string };

const SECTION = 'svc_fee.';
const PASS_THROUGH = 'passthrough.';

/** Reads a key of a bill's breakdown, such as `svc_fee.identity`. Whatever no provider is owed is the service's own. */
export function feeOf(key: string): Fee {
  if (key.startsWith(PASS_THROUGH)) return { kind: 'pass_through', provider: key.slice(PASS_THROUGH.length) };
  return { kind: 'section', section: key.startsWith(SECTION) ? key.slice(SECTION.length) : key };
}
