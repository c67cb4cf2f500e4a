import fc from 'fast-check';
import { Rejection } from '../../src/platform/event-sourcing/decider.js';
import { DEFAULT_PRICE_BOOK, PRICE_BOOK_ID, PRICE_BOOK_STREAMS } from '../../src/contexts/pricing/domain/price-book.js';
import { type Stack } from './stack.js';
import { CONSENT_STREAMS } from '../../src/contexts/consents/domain/consent.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { FARMER_STREAMS } from '../../src/contexts/farmers/domain/farmer.js';
import { API_KEY_STREAMS } from '../../src/contexts/partners/domain/api-key.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { CONTRIBUTION_STREAMS } from '../../src/contexts/reports/domain/contribution.js';
import { WEBHOOK_STREAMS } from '../../src/contexts/webhooks/domain/webhook.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { ALL_SEARCHED } from './unit/searched-entries.js';

/** An action on the service in any state. As in production, the domain rejects an action that makes no sense. */
export type Action = (stack: Stack) => Promise<unknown>;

const at = '2026-11-21T10:00:00.000Z';
const by = { at, actor: 'test' };
const partner = fc.constantFrom('p0', 'p1', 'p2');
const farmer = fc.integer({ min: 0, max: 4 }).map((number) => `rp-${number}`);
/** Text within the bounds of every decider. */
const words = fc.string({ maxLength: 12 }).filter((text) => text.trim() !== '');
const kobo = fc.integer({ min: 1, max: 900_00 });

function action<T>(arbitrary: fc.Arbitrary<T>, perform: (drawn: T, stack: Stack) => Promise<unknown>): fc.Arbitrary<Action> {
  return arbitrary.map((drawn) => (stack) => perform(drawn, stack));
}

const partnerChange = fc.oneof(
  fc.record({
    kind: fc.constant('register' as const),
    company_name: words,
    account_type: fc.constantFrom('bank' as const, 'insurer' as const),
    mode: fc.constant('live' as const),
  }),
  fc.record({ kind: fc.constantFrom('activate' as const, 'deactivate' as const) }),
  fc.record({
    kind: fc.constant('change-details' as const),
    company_name: fc.option(words, { nil: undefined }),
    legal: fc.option(fc.record({ name: fc.option(words), tax_id: fc.option(words) }, { requiredKeys: [] })),
  }),
  fc.record({ kind: fc.constant('change-ip-allow-list' as const), cidrs: fc.array(fc.constantFrom('10.0.0.0/8', '::1')) }),
);
const partners = action(fc.tuple(partner, partnerChange), ([partner_id, change], { eventStore, codec }) =>
  new StreamWriter(eventStore, codec, PARTNER_STREAMS).execute(partner_id, { partner_id, ...by, ...change }),
);

const keyChange = fc.oneof(
  fc.record({ kind: fc.constant('issue' as const), key_hash: words, label: fc.option(words), partner_id: fc.option(partner) }),
  fc.record({ kind: fc.constant('link' as const), partner_id: partner }),
  fc.record({ kind: fc.constant('expire' as const), in_hours: fc.nat(168) }),
  fc.record({ kind: fc.constant('deactivate' as const) }),
);
const keys = action(fc.tuple(fc.constantFrom('k0', 'k1', 'k2'), keyChange), ([key_id, change], { eventStore, codec }) => {
  // No two keys have one hash, and the read model has each hash once.
  const hash = change.kind === 'issue' ? { key_hash: `${change.key_hash} of ${key_id}` } : {};
  return new StreamWriter(eventStore, codec, API_KEY_STREAMS).execute(key_id, { key_id, ...by, ...change, ...hash });
});

const record = fc.record(
  {
    phone_verified: fc.boolean(),
    identity: fc.record({ first_name: words }),
    credit_history: fc.record({ credit_score: fc.integer({ min: 300, max: 850 }) }),
  },
  { requiredKeys: [] },
);
const farmers = action(fc.tuple(farmer, record), ([rupa_id, sections], { eventStore, codec }) =>
  new StreamWriter(eventStore, codec, FARMER_STREAMS).execute(rupa_id, { kind: 'put', rupa_id, mode: undefined, record: sections, ...by }),
);
const erasures = action(farmer, (rupa_id, { eventStore, codec }) =>
  new StreamWriter(eventStore, codec, FARMER_STREAMS).execute(rupa_id, { kind: 'erase', rupa_id, ...by }),
);

const lookupIds = fc.array(
  fc.integer({ min: 0, max: 9 }).map((number) => `l${number}`),
  { minLength: 1, maxLength: 3 },
);
const walletChange = fc.oneof(
  fc
    .record({ kind: fc.constant('credit' as const), amount_kobo: kobo, reference: words, search: fc.constant(ALL_SEARCHED) })
    .map(({ search, ...credit }) => ({ ...credit, ...search })),
  fc.record({
    kind: fc.constant('charge' as const),
    lookups: fc.uniqueArray(
      fc.record({
        lookup_id: lookupIds.map(([first = 'l0']) => first),
        rupa_id: farmer,
        breakdown_kobo: fc.record({ 'svc_fee.identity': kobo, 'passthrough.bvn': kobo }),
        grants_consent: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3, selector: ({ lookup_id }) => lookup_id },
    ),
    allow_partial: fc.boolean(),
    source: fc.constant('loan'),
    price_book_version: fc.constant(1),
    vat_percent: fc.constantFrom(0, 7.5),
    key_id: fc.constant('k0'),
  }),
  fc.record({ kind: fc.constant('settle' as const), lookup_ids: lookupIds }),
  fc.record({ kind: fc.constant('refund' as const), lookup_ids: lookupIds, reason: words }),
);
const wallets = action(fc.tuple(partner, walletChange), ([partner_id, change], { eventStore, codec }) =>
  new StreamWriter(eventStore, codec, WALLET_STREAMS).execute(partner_id, { partner_id, ...by, ...change }),
);

const releases = action(fc.tuple(partner, farmer, fc.nat({ max: 12 })), ([partner_id, rupa_id, granted_revision], { eventStore, codec }) =>
  new StreamWriter(eventStore, codec, CONSENT_STREAMS).execute(`${partner_id}-${rupa_id}`, {
    partner_id,
    rupa_id,
    granted_revision,
    ...by,
  }),
);

/** Generates reports. A repeated reference updates its contribution, or moves it to another farmer. */
const report = fc.record({
  contribution_id: fc.integer({ min: 1, max: 5 }),
  rupa_id: farmer,
  event: fc.constantFrom('loan_disbursed' as const, 'loan_repayment' as const, 'harvest_record' as const),
  amount_minor: fc.option(kobo),
  payload: fc.option(fc.record({ loan_reference: words, item: words, quantity: fc.nat() })),
});
const reports = action(report, async (drawn, { eventStore, codec }) => {
  if ((await new StreamWriter(eventStore, codec, FARMER_STREAMS).load(drawn.rupa_id)).state.status !== 'registered')
    throw new Rejection('farmer_unknown');
  const contribution = {
    ...drawn,
    partner_id: 'p0',
    account_type: drawn.event === 'harvest_record' ? ('agtech' as const) : ('bank' as const),
    currency: 'NGN',
    partner_reference: `ref-${drawn.contribution_id}`,
  };
  return await new StreamWriter(eventStore, codec, CONTRIBUTION_STREAMS).execute(`p0-${drawn.contribution_id}`, {
    contribution,
    is_about_test_farmer: false,
    test_run: 0,
    occurred_at: undefined,
    ...by,
  });
});

const settings = fc.record({
  url: fc.constantFrom('https://one.example/', 'https://two.example/'),
  name: fc.option(words),
  events: fc.constant(['*' as const]),
});
const endpointChange = fc.oneof(
  fc.record({ kind: fc.constant('register' as const), mode: fc.constant('live' as const), settings, secret_id: words }),
  fc.record({ kind: fc.constant('update' as const), settings }),
  fc.record({ kind: fc.constant('rotate-secret' as const), secret_id: words }),
  fc.record({ kind: fc.constant('disable' as const), reason: fc.constantFrom('gone' as const, 'partner' as const) }),
  fc.record({ kind: fc.constant('enable' as const) }),
  fc.record({ kind: fc.constant('delete' as const) }),
);
const endpoints = action(fc.tuple(fc.integer({ min: 1, max: 3 }), endpointChange), ([endpoint_id, change], { eventStore, codec }) =>
  new StreamWriter(eventStore, codec, WEBHOOK_STREAMS).execute(String(endpoint_id), { endpoint_id, partner_id: 'p0', ...by, ...change }),
);
const prices = action(kobo, (fee, { eventStore, codec }) =>
  new StreamWriter(eventStore, codec, PRICE_BOOK_STREAMS).execute(PRICE_BOOK_ID, {
    fees_kobo: { ...DEFAULT_PRICE_BOOK.fees_kobo, 'svc_fee.identity': fee },
    ...by,
  }),
);

export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: partners },
  { weight: 2, arbitrary: keys },
  { weight: 5, arbitrary: farmers },
  { weight: 1, arbitrary: erasures },
  { weight: 10, arbitrary: wallets },
  { weight: 3, arbitrary: releases },
  { weight: 6, arbitrary: reports },
  { weight: 3, arbitrary: endpoints },
  { weight: 1, arbitrary: prices },
);

/** Performs an action; a rejection is an acceptable result. */
export async function perform(action: Action, stack: Stack): Promise<void> {
  await action(stack).catch((error: unknown) => {
    if (!(error instanceof Rejection)) throw error;
  });
}
