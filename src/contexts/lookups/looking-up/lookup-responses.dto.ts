import { rejection, type DocumentedError } from '../../../http/openapi/errors.js';
import {
  Count,
  EXAMPLE,
  Naira,
  NairaByFee,
  Nested,
  OneOf,
  RupaId,
  Schema,
  Text,
  Texts,
  Time,
  Decimal,
  ListOf,
} from '../../../http/openapi/properties.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { ShowsSections, TierView } from '../../farmers/public.js';
import { walletRejectionResponses } from '../../wallet/public.js';
import { ERRORS } from '../../../http/errors/error-codes.js';
import { LIST_OUTCOMES, type ListOutcome } from './lookup-payload.js';

const naira = { type: 'number', minimum: 0, description: 'NGN.' };
const BREAKDOWN = { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 };

export const PAYMENT_REQUIRED = rejection(
  walletRejectionResponses.insufficient_balance,
  'PaymentRequired',
  'The wallet balance is too low for the lookup; nothing was charged.',
  {
    schema: {
      type: 'object',
      properties: {
        required_amount: naira,
        available_amount: naira,
        shortfall: naira,
        currency: { type: 'string', enum: ['NGN'] },
        breakdown: { type: 'object', additionalProperties: naira },
      },
      required: ['required_amount', 'available_amount', 'shortfall', 'currency', 'breakdown'],
    },
    example: { required_amount: 130, available_amount: 60, shortfall: 70, currency: 'NGN', breakdown: BREAKDOWN },
  },
);

export const LOOKUP_FORBIDDEN: DocumentedError = {
  name: 'LookupForbidden',
  codes: ['account_not_active', 'api_key_not_linked', 'ip_not_allowed', 'no_permitted_sections'],
  description:
    'The account is pending, the key is not linked to a partner, the caller’s address is not on the allow-list, or none of the requested sections is permitted.',
};

const LOOKUP = {
  rupa_id: EXAMPLE.rupa_id,
  queried_at: '2026-03-09T14:30:00.000Z',
  identity: {
    full_name: 'Saater Kpamor',
    first_name: 'Saater',
    last_name: 'Kpamor',
    gender: 'male',
    date_of_birth: '1984-05-17',
    phone_number: '+2348030000000',
    state: 'Benue',
    lga: 'Gboko',
    community: null,
    country: 'NG',
    kyc_status: 'verified',
    kyc_verified_at: '2025-11-04T09:30:00Z',
    identity_locked: false,
    agent_enrolled: true,
    data_as_of: '2026-02-01',
  },
  outstanding_loans: {
    total_outstanding: 120000,
    currency: 'NGN',
    svc_loans: [],
    partner_loans: [
      {
        contribution_id: 4711,
        lender_type: 'bank',
        amount: 150000,
        outstanding: 120000,
        currency: 'NGN',
        disbursed_at: '2026-03-01T00:00:00.000Z',
      },
    ],
    data_as_of: '2026-02-01',
  },
  meta: {
    profile_tier: 'silver',
    profile_completeness: 65,
    tier_criteria: {
      bvn_verified: true,
      nin_verified: true,
      agent_enrolled: true,
      gps_farm: true,
      ndvi_present: false,
      harvest_history: false,
      phone_verified: false,
    },
    rupa_profile_url: `https://rupa.example/p/${EXAMPLE.rupa_id}`,
  },
  billing: { lookup_id: EXAMPLE.lookup_id, amount_charged: 130, currency: 'NGN', credits: 13, breakdown: BREAKDOWN },
};

@Schema('LookupMeta')
export class LookupMeta extends TierView {
  @Text({ format: 'uri' }) readonly rupa_profile_url: string;
  @Texts(SECTIONS, { description: 'Requested sections that the account may not read; absent if there are none.', required: false })
  readonly denied_sections?: readonly string[];
}

@Schema('LookupBilling')
export class LookupBilling {
  @Text({ format: 'uuid', description: 'Names the lookup in your wallet’s entries, and when you ask about it.' })
  readonly lookup_id: string;
  @Naira() readonly amount_charged: number;
  @OneOf(['NGN']) readonly currency: 'NGN';
  @Count() readonly credits: number;
  @NairaByFee() readonly breakdown: Readonly<Record<string, number>>;
}

/** `data` of a lookup (interface, section 2.5); {@link ShowsSections} adds the sections. */
@ShowsSections()
@Schema('LookupResult', LOOKUP)
export class LookupResult {
  @RupaId() readonly rupa_id: string;
  @Time() readonly queried_at: string;
  @Nested(LookupMeta) readonly meta: LookupMeta;
  @Nested(LookupBilling) readonly billing: LookupBilling;
}

const FOUND = { rupa_id: EXAMPLE.rupa_id, outcome: 'found', lookup: LOOKUP };
const NOBODY = { rupa_id: 'rp-nobody', outcome: 'not_found', code: 'farmer_not_found', message: ERRORS.farmer_not_found.message };
const SUMMARY = {
  requested: 2,
  found: 1,
  not_found: 1,
  not_charged: 0,
  failed: 0,
  amount_charged: LOOKUP.billing.amount_charged,
  wallet_balance: 98700,
  currency: 'NGN',
};

@Schema('ListedLookup')
export class ListedLookup {
  @RupaId() readonly rupa_id: string;
  @OneOf(
    LIST_OUTCOMES,
    '`found`: billed, `lookup` is there. `not_found`: no farmer has the id. `not_charged`: the balance had ended. `failed`: something went wrong on our side; a charge is refunded. Only `found` costs anything.',
  )
  readonly outcome: ListOutcome;
  @Text({ description: 'The error code of what the outcome stands for; absent if it is `found`.', required: false })
  readonly code?: string;
  @Text({ description: 'For people; absent if the outcome is `found`.', required: false })
  readonly message?: string;
  @Nested(LookupResult, {
    description: 'The same as the `data` of a lookup of this farmer alone; only if the outcome is `found`.',
    required: false,
  })
  readonly lookup?: LookupResult;
}

@Schema('LookupListSummary')
export class LookupListSummary {
  @Count('Results, with the farmers that repeat.') readonly requested: number;
  @Count() readonly found: number;
  @Count() readonly not_found: number;
  @Count() readonly not_charged: number;
  @Count() readonly failed: number;
  @Naira('NGN; the sum of `amount_charged` of the lookups, each farmer once.') readonly amount_charged: number;
  @Decimal('NGN, right after the charges.') readonly wallet_balance: number;
  @OneOf(['NGN']) readonly currency: 'NGN';
}

/** `data` of a call that looks many farmers up (decisions, "Many at once"). */
@Schema('LookupListResult', { results: [FOUND, NOBODY], summary: SUMMARY })
export class LookupListResult {
  @ListOf(ListedLookup, 'One for each Rupa ID, in the order asked.') readonly results: readonly ListedLookup[];
  @Nested(LookupListSummary) readonly summary: LookupListSummary;
}
