import { componentOf } from '../../contexts/farmers/section-schemas.js';
import { SECTIONS } from '../../kernel/section-names.js';
import { ACCOUNT_TYPES } from '../../kernel/account-types.js';
import { REPORTABLE_ACTIVITIES } from '../../kernel/activities.js';
import { MODES } from '../../kernel/modes.js';
import { lookupExample, meExample } from './examples.js';
import { OF_BODIES, partnerOperation, type Paths, pathParameter } from './operation.js';
import { amount, count, form, list, nullable, oneOf, ref, rupaId, type Schema, shape, text, time } from './schema.js';

const EVENTS = Object.values(REPORTABLE_ACTIVITIES).flat();

const criteria = ['bvn_verified', 'nin_verified', 'agent_enrolled', 'gps_farm', 'ndvi_present', 'harvest_history', 'phone_verified'];

/** What partners' answers are made of. */
export const partnerSchemas: Readonly<Record<string, Schema>> = {
  Tier: shape({
    profile_tier: oneOf(['bronze', 'silver', 'gold']),
    profile_completeness: { type: 'number', minimum: 0, maximum: 100 },
    tier_criteria: shape(Object.fromEntries(criteria.map((name) => [name, { type: 'boolean' }]))),
  }),
  Compliance: shape({
    lookups: count,
    contributions_expected: count,
    contributions_received: count,
    compliance_rate: { type: 'number', minimum: 0 },
  }),
  LookupResult: shape(
    {
      rupa_id: rupaId,
      queried_at: time(),
      ...Object.fromEntries(SECTIONS.map((section) => [section, ref(componentOf(section))])),
      meta: {
        allOf: [
          ref('Tier'),
          shape(
            {
              rupa_profile_url: text(undefined, { format: 'uri' }),
              denied_sections: list(oneOf(SECTIONS), { description: 'Requested, and not permitted.' }),
            },
            ['denied_sections'],
          ),
        ],
      },
      billing: shape({
        amount_charged: amount('NGN.'),
        currency: oneOf(['NGN']),
        credits: count,
        breakdown: { type: 'object', additionalProperties: amount('NGN.') },
      }),
    },
    SECTIONS,
  ),
  ConsentEntry: shape({ rupa_id: rupaId, source: text(), granted_at: time(), last_accessed_at: time(), access_count: count }),
};

const lookUp = partnerOperation({
  id: 'lookUpFarmer',
  tag: 'Look-ups',
  summary: 'Look a farmer up (billed)',
  description:
    'Charges the wallet for each returned section, once, and only if it is answered. Fewer `sections` cost less. A successful look-up records or refreshes the consent. With an `Idempotency-Key` the same key and body answer the first answer again for 24 hours, unbilled.',
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: '1–255 printable characters, the partner’s own.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      example: '5f0c6c1e-6a3a-4a50-9d0c-2f6d3b0a4f11',
    },
  ],
  body: {
    schema: form(
      {
        rupa_id: rupaId,
        sections: {
          ...list(oneOf(SECTIONS), { minItems: 1, description: 'Omitted: all that the account may read.' }),
          type: ['array', 'null'],
        },
        source: nullable(text('A tag for your audit. Default: `loan`.', { maxLength: 255 })),
      },
      ['rupa_id'],
    ),
    example: { rupa_id: 'rp-spvyqbds', sections: ['identity', 'outstanding_loans'], source: 'loan' },
  },
  answer: { data: ref('LookupResult'), example: lookupExample, headers: ['Idempotent-Replayed'] },
  errors: ['PaymentRequired', 'FarmerNotFound', 'StillRunning', 'ValidationError'],
});

const report = partnerOperation({
  id: 'reportActivity',
  tag: 'Reports',
  summary: 'Report what happened to a farmer (free)',
  description:
    'With a `partner_reference` that was sent before, the contribution is replaced by what is sent now and no other is made; without one, every report is a new contribution.',
  body: {
    schema: form(
      {
        rupa_id: rupaId,
        event: oneOf(EVENTS, 'One of the account type’s own: see `contribution_events` of /me.'),
        amount: nullable(amount('In the currency; at most two decimals.')),
        currency: nullable(text('ISO 4217; default NGN.')),
        partner_reference: nullable(text('Your own reference: the idempotency key.', { minLength: 1, maxLength: 255 })),
        occurred_at: nullable(text('ISO 8601 date or timestamp, at most a day ahead; default now.')),
        payload: {
          type: ['object', 'null'],
          description:
            'Free detail, at most 16 KiB as JSON. `loan_reference` on a repayment names the loan’s `partner_reference`; `expires_at` ends a policy; `item`, `quantity` and `unit` of harvests and purchases are shown.',
          additionalProperties: true,
        },
      },
      ['rupa_id', 'event'],
    ),
    example: {
      rupa_id: 'rp-spvyqbds',
      event: 'loan_disbursed',
      amount: 150000,
      partner_reference: 'LN-2026-0117',
      occurred_at: '2026-03-01',
      payload: { tenor_months: 9 },
    },
  },
  answer: {
    message: 'Contribution recorded.',
    data: shape({
      recorded: { type: 'boolean', const: true },
      created: { type: 'boolean' },
      contribution_id: { type: 'integer' },
      event: oneOf(EVENTS),
      rupa_id: rupaId,
    }),
    example: { recorded: true, created: true, contribution_id: 4711, event: 'loan_disbursed', rupa_id: 'rp-spvyqbds' },
  },
  errors: ['FarmerNotFound', 'ValidationError'],
});

const me = partnerOperation({
  id: 'getAccount',
  tag: 'Account',
  summary: 'The account: what it may read and report, its balance and compliance',
  answer: {
    data: shape({
      company_name: text(),
      account_type: oneOf(ACCOUNT_TYPES),
      status: oneOf(['active', 'pending']),
      mode: oneOf(MODES),
      allowed_sections: list(oneOf(SECTIONS)),
      mandatory_sections: list(oneOf(SECTIONS)),
      contribution_events: list(oneOf(EVENTS)),
      wallet_balance: amount('NGN, exact at the moment of the answer.'),
      compliance: ref('Compliance'),
    }),
    example: meExample,
  },
  errors: [],
});

const consents = partnerOperation({
  id: 'listConsents',
  tag: 'Consents',
  summary: 'The roster: farmers who shared their Rupa ID',
  description: 'Most recently accessed first, at most 200.',
  answer: {
    data: shape({ consents: list(ref('ConsentEntry'), { maxItems: 200 }), count: { ...count, description: 'Entries in this answer.' } }),
    example: {
      consents: [
        {
          rupa_id: 'rp-spvyqbds',
          source: 'loan',
          granted_at: '2026-03-01T09:00:00.000Z',
          last_accessed_at: '2026-03-09T14:30:00.000Z',
          access_count: 3,
        },
      ],
      count: 1,
    },
  },
  errors: [],
});

const release = partnerOperation({
  id: 'releaseConsent',
  tag: 'Consents',
  summary: 'Release a farmer from the roster',
  description: 'Repeating it answers 404: the farmer is not on the roster any more.',
  parameters: [pathParameter('rupaId', rupaId, 'The farmer’s Rupa ID.')],
  answer: {
    data: shape({ revoked: { type: 'boolean', const: true }, rupa_id: rupaId }),
    example: { revoked: true, rupa_id: 'rp-spvyqbds' },
  },
  errors: [...OF_BODIES, 'ConsentNotFound', 'ValidationError'],
});

export const partnerPaths: Paths = {
  '/v1/rupa/lookup': { post: lookUp },
  '/v1/rupa/report': { post: report },
  '/v1/rupa/me': { get: me },
  '/v1/rupa/consents': { get: consents },
  '/v1/rupa/consents/{rupaId}': { delete: release },
};
