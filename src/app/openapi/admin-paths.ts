import { SECTIONS } from '../../kernel/section-names.js';
import { ACCOUNT_TYPES } from '../../kernel/account-types.js';
import { MODES } from '../../kernel/modes.js';
import { FEE_KEYS } from '../../contexts/pricing/domain/price-book.js';
import { entryExample, feesExample, partnerExample, partnerId, verificationExample } from './examples.js';
import { adminOperation, type ErrorResponse, OF_BODIES, type OperationParts, type Part, type Paths, pathParameter } from './operation.js';
import { amount, count, form, list, nullable, oneOf, ref, rupaId, type Schema, shape, text } from './schema.js';
import { recordProperties } from './section-schemas.js';
import { sinceParameter, walletSchemas } from './wallet-schemas.js';

export const money: Schema = { type: 'number' };
const fees = (optional: readonly string[] = []): Schema => ({
  ...shape(Object.fromEntries(FEE_KEYS.map((key) => [key, amount('NGN.')])), optional),
  additionalProperties: false,
});

/** What administrators' answers are made of. */
export const adminSchemas: Readonly<Record<string, Schema>> = {
  Partner: shape({
    partner_id: text(),
    company_name: text(),
    account_type: oneOf(ACCOUNT_TYPES),
    mode: oneOf(MODES),
    status: oneOf(['active', 'pending']),
    optional_sections: list(oneOf(SECTIONS)),
    ip_allow_list: list(text('An address or a CIDR; an empty list allows all.')),
    wallet_balance: amount('NGN.'),
    compliance: ref('Compliance'),
  }),
  ...walletSchemas,
  PriceBook: shape({ version: { type: 'integer' }, fees: fees() }),
  FarmerRecord: form({ rupa_id: rupaId, mode: oneOf(MODES), ...recordProperties }, ['rupa_id', 'mode', 'phone_verified']),
};

type Parts = Omit<OperationParts, 'tag' | 'errors'> & { readonly errors?: readonly ErrorResponse[] };
export const partner = pathParameter('id', text(), 'The partner’s id.');
const key = pathParameter('keyId', text(), 'The key’s id.');
const farmer = pathParameter('rupaId', rupaId, 'The farmer’s Rupa ID.');

const partners = (parts: Parts): Part => adminOperation({ tag: 'Partners', errors: ['PartnerNotFound'], ...parts });
const keys = (parts: Parts): Part => adminOperation({ tag: 'API keys', errors: [], ...parts });
const wallets = (parts: Parts): Part =>
  adminOperation({ tag: 'Wallets', errors: ['PartnerNotFound', 'ValidationError'], parameters: [partner], ...parts });

const thePartner = { data: ref('Partner'), example: partnerExample };
const newKey = {
  status: 201 as const,
  data: shape({ key_id: text(), api_key: text('Shown this once; only its hash is kept.') }),
  example: { key_id: '3e0f3a55-8a33-4b2e-8b7c-5f8f53a1c7d9', api_key: 'rupa_key_00000000000000000000000000000000000000000001WLLsT' },
};
const label = { schema: form({ label: nullable(text(undefined, { maxLength: 255 })) }), example: { label: 'production' }, required: false };

const change = (id: string, summary: string): Part =>
  partners({ id, summary, parameters: [partner], answer: thePartner, errors: [...OF_BODIES, 'PartnerNotFound'] });

export const adminPaths: Paths = {
  '/admin/v1/partners': {
    get: partners({
      id: 'listPartners',
      summary: 'All partners',
      answer: { data: shape({ partners: list(ref('Partner')) }), example: { partners: [partnerExample] } },
      errors: [],
    }),
    post: partners({
      id: 'registerPartner',
      summary: 'Register a partner, pending',
      body: {
        schema: form(
          {
            company_name: text(undefined, { minLength: 1, maxLength: 255 }),
            account_type: oneOf(ACCOUNT_TYPES),
            mode: nullable(oneOf(MODES, 'Default: live.')),
          },
          ['company_name', 'account_type'],
        ),
        example: { company_name: 'Savannah Demo Bank', account_type: 'bank', mode: 'sandbox' },
      },
      answer: {
        status: 201,
        data: shape({
          partner_id: text(),
          company_name: text(),
          account_type: oneOf(ACCOUNT_TYPES),
          mode: oneOf(MODES),
          status: oneOf(['pending']),
        }),
        example: { partner_id: partnerId, company_name: 'Savannah Demo Bank', account_type: 'bank', mode: 'sandbox', status: 'pending' },
      },
      errors: ['ValidationError'],
    }),
  },
  '/admin/v1/partners/{id}': { get: partners({ id: 'getPartner', summary: 'One partner', parameters: [partner], answer: thePartner }) },
  '/admin/v1/partners/{id}/activate': { post: change('activatePartner', 'Let a partner look farmers up') },
  '/admin/v1/partners/{id}/deactivate': { post: change('deactivatePartner', 'Make a partner pending again') },
  '/admin/v1/partners/{id}/optional-sections': {
    put: partners({
      id: 'setOptionalSections',
      summary: 'What a partner may read beside its mandatory sections',
      parameters: [partner],
      body: { schema: form({ sections: list(oneOf(SECTIONS)) }, ['sections']), example: { sections: ['farms'] } },
      answer: thePartner,
      errors: ['PartnerNotFound', 'ValidationError'],
    }),
  },
  '/admin/v1/partners/{id}/ip-allow-list': {
    put: partners({
      id: 'setIpAllowList',
      summary: 'Addresses that a partner may call from; none: all',
      parameters: [partner],
      body: {
        schema: form({ cidrs: list(text(), { maxItems: 1_000 }) }, ['cidrs']),
        example: { cidrs: ['203.0.113.0/24', '2001:db8::1'] },
      },
      answer: thePartner,
      errors: ['PartnerNotFound', 'ValidationError'],
    }),
  },
  '/admin/v1/partners/{id}/api-keys': {
    post: keys({
      id: 'issueApiKey',
      summary: 'A key for a partner',
      parameters: [partner],
      body: label,
      answer: newKey,
      errors: ['PartnerNotFound', 'ValidationError'],
    }),
  },
  '/admin/v1/api-keys': {
    post: keys({
      id: 'issueUnlinkedApiKey',
      summary: 'A key linked to no partner',
      body: label,
      answer: newKey,
      errors: ['ValidationError'],
    }),
  },
  '/admin/v1/api-keys/{keyId}/partner': {
    put: keys({
      id: 'linkApiKey',
      summary: 'Link a key to a partner',
      parameters: [key],
      body: { schema: form({ partner_id: text(undefined, { maxLength: 64 }) }, ['partner_id']), example: { partner_id: partnerId } },
      answer: { data: shape({ key_id: text(), partner_id: text() }), example: { key_id: newKey.example.key_id, partner_id: partnerId } },
      errors: ['ApiKeyNotFound', 'ValidationError'],
    }),
  },
  '/admin/v1/api-keys/{keyId}': {
    delete: keys({
      id: 'deactivateApiKey',
      summary: 'Deactivate a key, everywhere, at once',
      parameters: [key],
      answer: {
        data: shape({ key_id: text(), deactivated: { type: 'boolean', const: true } }),
        example: { key_id: newKey.example.key_id, deactivated: true },
      },
      errors: [...OF_BODIES, 'ApiKeyNotFound'],
    }),
  },
  '/admin/v1/partners/{id}/wallet': {
    get: wallets({
      id: 'getWallet',
      summary: 'A wallet’s balance, now or as of a time',
      parameters: [
        partner,
        { name: 'at', in: 'query', description: 'ISO 8601 date or timestamp.', schema: { type: 'string' }, example: '2026-03-01' },
      ],
      answer: { data: shape({ balance: money, revision: nullable(count) }), example: { balance: 98700, revision: 17 } },
    }),
  },
  '/admin/v1/partners/{id}/wallet/credits': {
    post: wallets({
      id: 'creditWallet',
      summary: 'Put money into a wallet, once a reference',
      body: {
        schema: form(
          {
            amount: { ...amount('NGN.'), minimum: 0.01 },
            reference: text('The idempotency key.', { minLength: 1, maxLength: 255 }),
            reason: nullable(text('Why, such as goodwill; shown with the entry.', { maxLength: 255 })),
          },
          ['amount', 'reference'],
        ),
        example: { amount: 50000, reference: 'transfer-1', reason: null },
      },
      answer: { data: shape({ balance: money, created: { type: 'boolean' } }), example: { balance: 148700, created: true } },
      errors: ['PartnerNotFound', 'ReferenceReused', 'ValidationError'],
    }),
  },
  '/admin/v1/partners/{id}/wallet/entries': {
    get: wallets({
      id: 'listWalletEntries',
      summary: 'A wallet’s entries, oldest first',
      parameters: [
        partner,
        { name: 'from', in: 'query', description: 'The first revision.', schema: { type: 'integer', minimum: 0, default: 0 }, example: 0 },
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 }, example: 100 },
      ],
      answer: {
        data: shape({
          entries: list(ref('WalletEntry')),
          next: { ...nullable(count), description: 'Where the next page begins; null at the end.' },
        }),
        example: { entries: [entryExample], next: null },
      },
    }),
  },
  '/admin/v1/partners/{id}/wallet/verification': {
    get: wallets({
      id: 'verifyWallet',
      summary: 'Every rule of a wallet, checked in the log',
      parameters: [partner, sinceParameter],
      answer: { data: ref('WalletVerification'), example: verificationExample },
    }),
  },
  '/admin/v1/farmers/{rupaId}': {
    get: adminOperation({
      id: 'getFarmer',
      tag: 'Farmers',
      summary: 'A farmer’s record, as the service holds it',
      parameters: [farmer],
      answer: {
        data: { allOf: [ref('FarmerRecord'), ref('Tier')] },
        example: {
          rupa_id: 'rp-spvyqbds',
          mode: 'live',
          phone_verified: true,
          identity: { full_name: 'Saater Kpamor', data_as_of: '2026-02-01' },
          profile_tier: 'bronze',
          profile_completeness: 10,
          tier_criteria: {
            bvn_verified: false,
            nin_verified: false,
            agent_enrolled: false,
            gps_farm: false,
            ndvi_present: false,
            harvest_history: false,
            phone_verified: true,
          },
        },
      },
      errors: ['FarmerNotFound', 'ValidationError'],
    }),
    put: adminOperation({
      id: 'recordFarmer',
      tag: 'Farmers',
      summary: 'Register a farmer, or replace the sections that are sent',
      parameters: [farmer],
      body: {
        schema: form({ mode: nullable(oneOf(MODES, 'Default: live; fixed at registration.')), ...recordProperties }),
        example: { mode: 'live', phone_verified: true, identity: { full_name: 'Saater Kpamor', data_as_of: '2026-02-01' } },
      },
      answer: { data: shape({ rupa_id: rupaId, created: { type: 'boolean' } }), example: { rupa_id: 'rp-spvyqbds', created: true } },
      errors: ['FarmerConflict', 'ValidationError'],
    }),
    delete: adminOperation({
      id: 'eraseFarmer',
      tag: 'Farmers',
      summary: 'Erase a farmer, for good',
      description:
        'Answers once nothing personal of the farmer can be read any more, in the log neither. The Rupa ID stays, as a pseudonym, in wallets and on rosters, and cannot be registered again. The same call again changes nothing.',
      parameters: [farmer],
      answer: {
        data: shape({ rupa_id: rupaId, erased: { type: 'boolean', const: true } }),
        example: { rupa_id: 'rp-spvyqbds', erased: true },
      },
      errors: [...OF_BODIES, 'FarmerNotFound', 'ValidationError'],
    }),
  },
  '/admin/v1/price-book': {
    get: adminOperation({
      id: 'getPriceBook',
      tag: 'Prices',
      summary: 'The fees in force',
      answer: { data: ref('PriceBook'), example: { version: 1, fees: feesExample } },
      errors: [],
    }),
    put: adminOperation({
      id: 'publishPriceBook',
      tag: 'Prices',
      summary: 'Publish the whole book anew',
      body: { schema: form({ fees: fees() }, ['fees']), example: { fees: feesExample } },
      answer: { data: ref('PriceBook'), example: { version: 2, fees: feesExample } },
      errors: ['ValidationError'],
    }),
  },
};
