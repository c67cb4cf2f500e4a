const SECTION_FEE = 'svc_fee.';

/** Returns the sections that a charge was made for. */
export function chargedSections(breakdown_kobo: Readonly<Record<string, number>>): string[] {
  return Object.keys(breakdown_kobo).flatMap((fee) => (fee.startsWith(SECTION_FEE) ? [fee.slice(SECTION_FEE.length)] : []));
}
