import { type FarmerProfileRow } from '../../projections/farmer-profile/farmer-profile.projection.js';
import { type FarmerRecord, recordFromParts, type Section } from '../farmers/domain/farmer-record.js';
import { profileTier } from '../farmers/domain/profile-tier.js';
import { toCredits, toNaira } from '../wallet/domain/money.js';
import { type FoundFarmer } from './farmer-reader.js';
import { sectionAnswer } from './sections.js';

export interface AnswerFacts {
  readonly profile: FarmerProfileRow;
  readonly reported: FoundFarmer['reported'];
  /** Permitted and asked for. */
  readonly sections: readonly Section[];
  readonly denied: readonly Section[];
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  readonly queriedAt: string;
  readonly publicUrl: string;
}

/** `data` of a look-up's answer (interface 2.5). */
export function lookupAnswer({ profile, reported, sections, denied, breakdown_kobo, queriedAt, publicUrl }: AnswerFacts): Record<string, unknown> {
  const charged = Object.values(breakdown_kobo).reduce((sum, fee) => sum + fee, 0);
  return {
    rupa_id: profile.rupa_id,
    queried_at: queriedAt,
    ...Object.fromEntries(sections.map((section) => [section, sectionAnswer(profile, reported, section)])),
    meta: {
      ...profileTier(recordFromParts(profile), reported),
      rupa_profile_url: `${publicUrl}/p/${profile.rupa_id}`,
      ...(denied.length > 0 ? { denied_sections: denied } : {}),
    },
    billing: {
      amount_charged: toNaira(charged),
      currency: 'NGN',
      credits: toCredits(charged),
      breakdown: Object.fromEntries(Object.entries(breakdown_kobo).map(([key, fee]) => [key, toNaira(fee)])),
    },
  };
}

export function hasBureauReport({ credit_history }: FarmerProfileRow): boolean {
  return (credit_history as FarmerRecord['credit_history'] | null)?.bureau != null;
}
