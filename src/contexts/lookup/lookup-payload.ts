import { type Section } from '../../kernel/section-names.js';
import { profileTier } from '../farmers/public.js';
import { toCredits, toNaira } from '../../kernel/money.js';
import { type FoundFarmer } from './farmer-reader.js';
import { sectionJson } from './section-view.js';

export interface LookupFacts {
  readonly lookup_id: string;
  readonly farmer: FoundFarmer;
  /** The requested sections that the partner may read. */
  readonly sections: readonly Section[];
  readonly denied: readonly Section[];
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  readonly queriedAt: string;
  readonly publicUrl: string;
}

/** Returns `data` of a lookup's response, as JSON text (interface, section 2.5). */
export function lookupPayload({ lookup_id, farmer, sections, denied, breakdown_kobo, queriedAt, publicUrl }: LookupFacts): string {
  const { rupa_id } = farmer.profile;
  const meta = {
    ...profileTier(farmer.profile, farmer.reportedCriteria),
    rupa_profile_url: `${publicUrl}/p/${rupa_id}`,
    ...(denied.length > 0 ? { denied_sections: denied } : {}),
  };
  return jsonObject([
    ['rupa_id', JSON.stringify(rupa_id)],
    ['queried_at', JSON.stringify(queriedAt)],
    ...sections.map((section) => [section, sectionJson(farmer, section)] as const),
    ['meta', JSON.stringify(meta)],
    ['billing', JSON.stringify(billing(lookup_id, breakdown_kobo))],
  ]);
}

function billing(lookup_id: string, breakdown_kobo: LookupFacts['breakdown_kobo']): object {
  const charged = Object.values(breakdown_kobo).reduce((sum, fee) => sum + fee, 0);
  return {
    lookup_id,
    amount_charged: toNaira(charged),
    currency: 'NGN',
    credits: toCredits(charged),
    breakdown: Object.fromEntries(Object.entries(breakdown_kobo).map(([key, fee]) => [key, toNaira(fee)])),
  };
}

/** Builds a JSON object from names and values that are JSON text already. */
function jsonObject(fields: readonly (readonly [name: string, json: string])[]): string {
  return `{${fields.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}
