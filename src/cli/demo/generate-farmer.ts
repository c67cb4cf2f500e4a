import {
  type FarmerRecord,
  type BvnNinData,
  type Farms,
  type FarmerWallet,
  type Identity,
  type Recorded,
  sampleSection,
  type SocioeconomicProfile,
} from '../../contexts/farmers/public.js';
import { date, random, type Random } from './random.js';
import { type Section, SECTIONS } from '../../kernel/section-names.js';
import { generateCreditHistory, generateLoans, generateTransactions } from './generate-finances.js';
import { CROPS, LIVESTOCK, NAMES } from './names.js';
import { type Place, PLACES } from './places.js';

/** A line of the file that `rupa farmers import` reads. */
export type GeneratedFarmer = FarmerRecord & { readonly rupa_id: string; readonly mode: 'live' | 'sandbox' };

const PHONE_PREFIXES = ['803', '806', '813', '816', '703', '706', '905', '802', '808', '812', '902', '809', '818', '909'];
const BASE32 = 'abcdefghjkmnpqrstvwxyz0123456789';
const AS_OF = '2026-10-01';

/** Sections that {@link generateFarmer} has a generator for. The values of other sections are derived from their classes. */
const SECTIONS_WITH_GENERATOR: ReadonlySet<Section> = new Set<Section>([
  'identity',
  'bvn_nin_data',
  'credit_history',
  'outstanding_loans',
  'transaction_volume',
  'farms',
  'underwriting_value',
  'wallet',
  'socioeconomic_profile',
]);

/** Returns a fictitious farmer at a real place. The same seed and index always return the same farmer. */
export function generateFarmer(seed: number, index: number, mode: 'live' | 'sandbox'): GeneratedFarmer {
  const draw = random(seed, index);
  const place = draw.pick(PLACES);
  // The richness of the farmer's data, from 0 (hardly more than a name) to 1 (everything).
  const richness = draw.next();
  const has = (probability: number): boolean => draw.next() < probability * (0.25 + richness);
  const lga = draw.pick(place.lgas);
  const farmer: GeneratedFarmer = {
    rupa_id: rupaIdOf(seed, index),
    mode,
    phone_verified: has(0.9),
    identity: identity(draw, place, lga, richness),
    ...(has(0.9) ? { bvn_nin_data: bvnNin(draw, richness) } : {}),
    ...(has(0.85) ? { credit_history: generateCreditHistory(draw, richness) } : {}),
    ...(has(0.7) ? { outstanding_loans: generateLoans(draw, index) } : {}),
    ...(has(0.8) ? { transaction_volume: generateTransactions(draw) } : {}),
    ...(has(0.9) ? { farms: farms(draw, place, lga, index, richness) } : {}),
    ...(has(0.5) ? { underwriting_value: { data_as_of: AS_OF } } : {}),
    ...(has(0.7) ? { wallet: wallet(draw) } : {}),
    ...(has(0.7) ? { socioeconomic_profile: household(draw) } : {}),
  };
  const others = SECTIONS.filter((section) => !SECTIONS_WITH_GENERATOR.has(section) && has(0.7));
  return { ...farmer, ...Object.fromEntries(others.map((section) => [section, sampleSection(draw, section)])) };
}

/** Returns a Rupa ID that is unique for each index of a seed: the index, scrambled by an odd multiplier, as eight letters and digits. */
export function rupaIdOf(seed: number, index: number): string {
  let value = ((BigInt(index) + BigInt(seed) * 1_000_003n) * 669_278_935_237n) & 0xff_ffff_ffffn;
  let text = '';
  for (let digit = 0; digit < 8; digit += 1) {
    text += BASE32[Number(value % 32n)] ?? '';
    value /= 32n;
  }
  return `rp-${text}`;
}

function identity(draw: Random, place: Place, lga: string, richness: number): Identity {
  const gender = draw.chance(0.42) ? 'female' : 'male';
  const names = NAMES[place.people];
  const [first_name, last_name] = [draw.pick(names[gender]), draw.pick(names.last)];
  const verified = richness > 0.35;
  return {
    full_name: `${first_name} ${last_name}`,
    first_name,
    last_name,
    gender,
    date_of_birth: date(draw, 1955, 2004),
    phone_number: draw.chance(0.95) ? `+234${draw.pick(PHONE_PREFIXES)}${digits(draw, 7)}` : null,
    state: place.state,
    lga,
    community: draw.chance(0.7) ? `${draw.pick(['Ungwan', 'Sabon', 'Oke', 'Umu', 'Gidan', 'Isale'])} ${draw.pick(names.last)}` : null,
    country: 'NG',
    kyc_status: verified ? 'verified' : draw.pick(['pending', 'in_review', 'rejected', 'expired']),
    kyc_verified_at: verified ? `${date(draw, 2024, 2026, 9)}T09:30:00Z` : null,
    identity_locked: richness > 0.8,
    agent_enrolled: draw.chance(0.2 + 0.6 * richness),
    data_as_of: AS_OF,
  };
}

function bvnNin(draw: Random, richness: number): BvnNinData {
  const bvn = draw.chance(0.3 + 0.7 * richness);
  const nin = draw.chance(0.3 + 0.7 * richness);
  return {
    bvn: {
      verified: bvn,
      verified_at: bvn ? `${date(draw, 2024, 2026, 9)}T10:00:00Z` : null,
      masked: bvn ? `*******${digits(draw, 4)}` : null,
      name_match: bvn && draw.chance(0.95),
      dob_match: bvn && draw.chance(0.92),
    },
    nin: { verified: nin, masked: nin ? `*******${digits(draw, 4)}` : null, cross_matched_with_bvn: bvn && nin },
    verification_source: bvn ? 'nibss' : nin ? 'nimc' : 'self_declared',
    overall_confidence: bvn && nin ? 'high' : bvn || nin ? 'medium' : 'low',
    data_as_of: AS_OF,
  };
}

function farms(draw: Random, place: Place, lga: string, index: number, richness: number): Recorded<Farms> {
  const count = draw.chance(0.75) ? 1 : draw.integer(2, 3);
  return {
    farms: Array.from({ length: count }, (_, number) => {
      const located = draw.chance(0.3 + 0.6 * richness);
      // Smallholdings are distributed log-normally around 1.2 ha.
      const size = Math.exp(0.2 + 0.7 * (draw.next() + draw.next() + draw.next() - 1.5) * 2);
      return {
        farm_id: `F-${index}-${number + 1}`,
        name: draw.chance(0.5) ? `${lga} ${draw.pick(['fadama', 'upland', 'home', 'river', 'hill'])} plot` : null,
        state: place.state,
        lga,
        size_hectares: Math.round(size * 100) / 100,
        land_tenure: draw.pick(['inherited', 'owned', 'leased', 'communal', 'family']),
        latitude: located ? coordinate(place.latitude, draw) : null,
        longitude: located ? coordinate(place.longitude, draw) : null,
        gps_verified: located && draw.chance(0.85),
        ndvi: located && draw.chance(0.8) ? Math.round((place.zone === 'south' ? 0.5 : 0.3) * 100 + draw.next() * 30) / 100 : null,
        crops: draw.some(CROPS[place.zone], 1, 4),
        livestock: draw.chance(0.6) ? draw.some(LIVESTOCK[place.zone], 1, 2) : [],
      };
    }),
    data_as_of: AS_OF,
  };
}

function wallet(draw: Random): FarmerWallet {
  const inflow = draw.integer(10, 400) * 500;
  return {
    currency: 'NGN',
    status: draw.chance(0.9) ? 'active' : 'dormant',
    balance: draw.integer(0, 300_000) / 4,
    average_monthly_inflow: inflow,
    average_monthly_outflow: Math.round(inflow * (0.6 + draw.next() * 0.35)),
    last_activity_at: `${date(draw, 2026, 2026, 9)}T12:00:00Z`,
    data_as_of: AS_OF,
  };
}

function household(draw: Random): SocioeconomicProfile {
  const household_size = draw.integer(1, 14);
  return {
    household_size,
    dependants: draw.integer(0, household_size - 1),
    education_level: draw.pick(['none', 'quranic', 'primary', 'secondary', 'tertiary']),
    primary_income_source: draw.pick(['crop_farming', 'crop_farming', 'livestock', 'trading', 'wage_labour']),
    years_farming: draw.integer(1, 45),
    assets: draw.some(['motorcycle', 'bicycle', 'mobile phone', 'ox plough', 'water pump', 'radio', 'sprayer', 'power tiller'], 0, 5),
    data_as_of: AS_OF,
  };
}

function digits(draw: Random, count: number): string {
  return Array.from({ length: count }, () => draw.integer(0, 9)).join('');
}

/** Returns a coordinate within about 30 km of the centre. */
function coordinate(centre: number, draw: Random): number {
  return Math.round((centre + (draw.next() - 0.5) * 0.6) * 10_000) / 10_000;
}
