import { type DomainEvent } from '../../../src/platform/event-sourcing/decider.js';

const recorded_at = '2026-11-21T10:00:00.000Z';

/**
 * A history in which every event type that a read model folds occurs, each with every field. Every text is different, except where
 * events refer to each other, and is different for each `history`, so that the rows of two histories are never the same.
 */
export function everyEvent(history: number): readonly DomainEvent[] {
  const named = (name: string): string => `${name} ${history}`;
  const by = { recorded_at, actor: named('actor') };
  const partner = { partner_id: named('partner'), ...by };
  const approval = { approval_id: named('approval'), ...by };
  const key = { key_id: named('key'), ...by };
  const farmer = { rupa_id: named('farmer'), ...by };
  const entry = { ...partner, balance_after_kobo: 0, open_from_revision: null };
  const lookup = { lookup_id: named('lookup'), rupa_id: named('farmer') };
  const endpoint = { endpoint_id: history, ...partner };
  const settings = { url: named('url'), name: named('name'), events: [named('notification')] };
  const contribution = {
    contribution_id: history,
    ...partner,
    rupa_id: named('farmer'),
    account_type: named('account type'),
    event: 'loan_repayment',
    currency: named('currency'),
    occurred_at: recorded_at,
    amount_minor: 1,
    partner_reference: named('partner reference'),
    payload: { loan_reference: named('loan reference'), item: named('item'), unit: named('unit'), [named('payload key')]: named('detail') },
  };
  const section = (part: string, content: unknown): DomainEvent => ({
    type: 'FarmerSectionUpdated',
    data: { ...farmer, part, data_as_of: named('data as of'), content },
  });
  const call = {
    call_id: named('call'),
    recorded_at,
    role: named('role'),
    name: named('administrator'),
    fingerprint: named('fingerprint'),
    address: named('address'),
    method: named('method'),
    route: named('route'),
    parameters: { [named('parameter name')]: named('parameter') },
  };
  const test = { rupa_id: named('test farmer'), ...by };
  const sample = { contribution_id: history, account_type: named('account type'), amount_minor: 1, currency: named('currency') };
  const erased = { rupa_id: named('erased farmer'), ...by };
  return [
    {
      type: 'PartnerRegistered',
      data: { ...partner, company_name: named('company'), account_type: named('account type'), mode: named('mode'), parts: {} },
    },
    {
      type: 'ApprovalRequested',
      data: {
        ...approval,
        kind: named('approval kind'),
        mode: named('approval mode'),
        partner_id: named('partner'),
        amount_kobo: history + 1,
        reference: named('approval reference'),
        call: { [named('call field')]: named('call value') },
        expires_at: recorded_at,
      },
    },
    { type: 'ApprovalGranted', data: approval },
    { type: 'ApprovalRejected', data: { ...approval, reason: named('approval reason') } },
    { type: 'ApprovalExecuted', data: approval },
    { type: 'PartnerActivated', data: partner },
    { type: 'OptionalSectionsChanged', data: { ...partner, sections: [named('section')] } },
    { type: 'IpAllowListChanged', data: { ...partner, cidrs: [named('network')] } },
    { type: 'LowBalanceThresholdChanged', data: { ...partner, threshold_kobo: history + 1 } },
    {
      type: 'PartnerDetailsChanged',
      data: {
        ...partner,
        company_name: named('new company'),
        legal: {
          name: named('legal name'),
          address: named('legal address'),
          tax_id: named('tax id'),
          registration_number: named('registration number'),
          email: named('email'),
        },
      },
    },
    { type: 'PartnerDeactivated', data: partner },
    { type: 'ApiKeyIssued', data: { ...key, key_hash: named('key hash'), label: named('label'), partner_id: null } },
    { type: 'ApiKeyLinked', data: { ...key, partner_id: named('partner') } },
    { type: 'ApiKeyExpirySet', data: { ...key, expires_at: key.recorded_at } },
    { type: 'ApiKeyDeactivated', data: key },
    { type: 'FarmerRegistered', data: { ...farmer, mode: named('mode'), parts: {} } },
    section('identity', { full_name: named('full name'), [named('identity key')]: named('identity text') }),
    section('farms', { farms: [{ name: named('farm'), [named('farm key')]: named('farm text') }] }),
    section(named('part'), { text: named('text of a part') }),
    { type: 'WalletCredited', data: { ...entry, amount_kobo: 100, reference: named('reference'), reason: named('reason') } },
    {
      type: 'WalletDebited',
      data: {
        ...entry,
        ...lookup,
        source: named('source'),
        amount_kobo: 3,
        breakdown_kobo: { [`svc_fee.${named('fee')}`]: 1, [`passthrough.${named('provider')}`]: 1, [named('other fee')]: 1 },
        price_book_version: 1,
        key_id: named('key'),
      },
    },
    { type: 'ConsentGranted', data: { ...entry, ...lookup, source: named('source') } },
    {
      type: 'WalletDebited',
      data: {
        ...entry,
        lookup_id: named('settled'),
        rupa_id: named('farmer'),
        source: named('source'),
        amount_kobo: 0,
        breakdown_kobo: {},
        price_book_version: 1,
        key_id: named('key'),
      },
    },
    { type: 'ChargesSettled', data: { ...entry, charges: [{ lookup_id: named('settled'), debit_revision: 15 }] } },
    { type: 'RefundIssued', data: { ...entry, ...lookup, debit_revision: 13, amount_kobo: 3, reason: named('refund reason') } },
    {
      type: 'CreditReversed',
      data: {
        ...entry,
        amount_kobo: 1,
        credit_reference: named('reference'),
        kind: named('kind'),
        reference: named('reversal'),
        reason: named('reversal reason'),
      },
    },
    { type: 'WalletPaidOut', data: { ...entry, amount_kobo: 1, reference: named('payout'), reason: named('payout reason') } },
    {
      type: 'LookupCompensated',
      data: {
        ...entry,
        lookup_id: named('settled'),
        rupa_id: named('farmer'),
        debit_revision: 15,
        amount_kobo: 1,
        breakdown_kobo: { [`svc_fee.${named('fee')}`]: 1 },
        reason: named('compensation reason'),
      },
    },
    { type: 'ConsentReleased', data: { ...partner, rupa_id: named('farmer'), granted_revision: 0 } },
    { type: 'ContributionRecorded', data: contribution },
    { type: 'ContributionUpdated', data: { ...contribution, event: 'harvest_record', previous_rupa_id: named('farmer') } },
    { type: 'ContributionRecorded', data: { ...contribution, contribution_id: -history, event: named('activity') } },
    { type: 'CreditScoreChanged', data: { ...farmer, credit_score: 700 } },
    { type: 'FarmerRegistered', data: { ...erased, mode: named('mode'), parts: {} } },
    { type: 'FarmerErased', data: erased },
    { type: 'FarmerRegistered', data: { ...test, mode: named('mode'), parts: {} } },
    {
      type: 'TestFarmerDefined',
      data: { ...test, version: history, lookups: named('lookups'), reports: { loans: [{ ...sample, occurred_at: named('time') }] } },
    },
    {
      type: 'LedgerEntryPosted',
      data: {
        ...by,
        mode: named('mode'),
        kind: named('kind of entry'),
        amount_kobo: 1,
        account: named('account'),
        reference: named('entry reference'),
        date: named('date'),
        reason: named('reason of an entry'),
        of: named('undone reference'),
        of_kind: named('undone kind'),
      },
    },
    {
      type: 'PeriodClosed',
      data: {
        ...by,
        mode: named('mode'),
        period: named('period'),
        accounts: [
          {
            account: named('closed account'),
            opening_kobo: named('opening'),
            debit_kobo: named('debit'),
            credit_kobo: named('credit'),
            closing_kobo: named('closing'),
          },
        ],
        entries: 1,
        index: history,
        issuer: { name: named('issuer'), address: named('address'), tax_id: named('tax id') },
        prefix: named('prefix'),
      },
    },
    { type: 'PriceBookPublished', data: { version: history, fees_kobo: { [named('fee key')]: 1 }, ...by } },
    { type: 'PriceBookScheduled', data: { fees_kobo: { [named('scheduled fee')]: 1 }, effective_at: named('time'), ...by } },
    { type: 'PriceScheduleCancelled', data: { schedule_revision: 0, ...by } },
    { type: 'PriceScheduleFulfilled', data: { schedule_revision: 0, ...by } },
    { type: 'WebhookRegistered', data: { ...endpoint, ...settings, mode: named('mode'), secret_id: named('secret') } },
    { type: 'WebhookUpdated', data: { ...endpoint, ...settings } },
    { type: 'SigningSecretRotated', data: { ...endpoint, secret_id: named('new secret'), previous_secret_id: named('secret') } },
    { type: 'WebhookDisabled', data: { ...endpoint, reason: named('disabled reason') } },
    { type: 'WebhookUpdated', data: { ...endpoint, ...settings, stays_disabled: true } },
    { type: 'WebhookEnabled', data: endpoint },
    { type: 'WebhookDeleted', data: endpoint },
    { type: 'SandboxReset', data: { ...partner, test_run: history, rupa_ids: [named('reset farmer')] } },
    { type: 'AdminCallBegun', data: call },
    { type: 'AdminCallEnded', data: { ...call, status: 200 } },
    { type: 'AdminCallEnded', data: { ...call, call_id: named('reading call'), reason: named('reason of a call'), status: 200 } },
  ];
}

/** Returns every text in the history: values, and keys that {@link everyEvent} made up. */
export function textsOf(value: unknown): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value]);
  if (typeof value !== 'object' || value === null) return new Set();
  const own = Object.entries(value).flatMap(([key, item]) => [...(key.includes(' ') ? [key] : []), ...textsOf(item)]);
  return new Set(own);
}

/** Returns the value with one of its texts replaced, in values and in keys. */
export function withText<T>(value: T, text: string, replacement: string): T {
  const replaced = (part: unknown): unknown => {
    if (typeof part === 'string') return part === text ? replacement : part;
    if (Array.isArray(part)) return part.map(replaced);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key === text ? replacement : key, replaced(item)]));
  };
  return replaced(value) as T;
}
