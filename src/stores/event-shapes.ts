import { ACCOUNT_TYPES, MODES } from '../kernel/accounts.js';
import { SECTIONS } from '../kernel/section-names.js';
import {
  absentOr,
  anything,
  type Check,
  count,
  flag,
  integer,
  listOf,
  nullOr,
  objectWith,
  oneOf,
  record,
  recordOf,
  type Shape,
  text,
  time,
  vatPercent,
} from '../kernel/shape.js';
import { ID_KINDS } from '../platform/ids/domain/events.js';
import { walletShapes } from '../contexts/wallet/domain/wallet-shapes.js';
import { type WalletEvent } from '../contexts/wallet/domain/events.js';
import { ENTRY_KINDS } from '../contexts/accounting/domain/events.js';
import { APPROVAL_KINDS } from '../contexts/approvals/domain/events.js';
import { LEGAL_FIELDS } from '../contexts/partners/domain/legal-details.js';
import { type AnyEvent } from './any-event.js';

/** Requires a check of each field, so that a new field does not compile without one. */
type ShapesOf<Event extends { readonly type: string; readonly data: object }> = {
  readonly [Type in Event['type']]: { readonly [Field in keyof Extract<Event, { type: Type }>['data']]-?: Check };
};

const accountType = oneOf(ACCOUNT_TYPES);
const mode = oneOf(MODES);
const by = { recorded_at: time, actor: text };
const partner = { partner_id: text, ...by };
const key = { key_id: text, ...by };
const farmer = { rupa_id: text, ...by };
const part = oneOf([...SECTIONS, 'phone_verified']);
const contribution = {
  ...partner,
  contribution_id: integer,
  account_type: accountType,
  rupa_id: text,
  event: text,
  currency: text,
  occurred_at: time,
  amount_minor: anything,
  partner_reference: anything,
  payload: anything,
  test_run: absentOr(count),
};
const endpoint = { endpoint_id: count, ...partner };
const settings = { url: text, name: nullOr(text), events: listOf(text) };
const call = {
  call_id: absentOr(text),
  recorded_at: time,
  role: text,
  name: absentOr(nullOr(text)),
  fingerprint: absentOr(nullOr(text)),
  address: absentOr(nullOr(text)),
  method: text,
  route: text,
  parameters: recordOf(text),
  reason: absentOr(text),
};
const approval = { approval_id: text, ...by };
const approved = { approval_id: absentOr(text), approved_by: absentOr(text) };
const fees_kobo = recordOf(count);

const others: ShapesOf<Exclude<AnyEvent, WalletEvent>> = {
  PartnerRegistered: { ...partner, company_name: text, account_type: accountType, mode },
  PartnerActivated: partner,
  PartnerDeactivated: partner,
  OptionalSectionsChanged: { ...partner, sections: listOf(oneOf(SECTIONS)) },
  IpAllowListChanged: { ...partner, cidrs: listOf(text) },
  LowBalanceThresholdChanged: { ...partner, threshold_kobo: nullOr(count) },
  PartnerDetailsChanged: {
    ...partner,
    company_name: text,
    legal: objectWith(Object.fromEntries(LEGAL_FIELDS.map((field) => [field, nullOr(text)]))),
  },
  SandboxReset: { ...partner, test_run: count, rupa_ids: listOf(text) },
  ApiKeyIssued: {
    ...key,
    key_hash: text,
    label: nullOr(text),
    partner_id: nullOr(text),
    prefix: absentOr(text),
    last_four: absentOr(text),
    rotated_from: absentOr(text),
  },
  ApiKeyLinked: { ...key, partner_id: text },
  ApiKeyExpirySet: { ...key, expires_at: time },
  ApiKeyDeactivated: key,
  LedgerEntryPosted: {
    mode,
    kind: oneOf(ENTRY_KINDS),
    amount_kobo: count,
    account: absentOr(text),
    reference: text,
    date: text,
    reason: text,
    of: absentOr(text),
    of_kind: absentOr(oneOf(ENTRY_KINDS)),
    ...by,
    ...approved,
  },
  PeriodClosed: {
    mode,
    period: text,
    accounts: listOf(objectWith({ account: text, opening_kobo: text, debit_kobo: text, credit_kobo: text, closing_kobo: text })),
    entries: count,
    index: nullOr(count),
    issuer: objectWith({ name: nullOr(text), address: nullOr(text), tax_id: nullOr(text) }),
    prefix: text,
    ...by,
  },
  PriceBookPublished: {
    version: count,
    fees_kobo,
    vat_percent: absentOr(vatPercent),
    ...by,
    schedule_revision: absentOr(count),
    ...approved,
  },
  PriceBookScheduled: {
    fees_kobo,
    vat_percent: absentOr(vatPercent),
    effective_at: time,
    in_force_by_time: absentOr(flag),
    ...by,
    ...approved,
  },
  PriceScheduleCancelled: { schedule_revision: count, ...by },
  PriceScheduleFulfilled: { schedule_revision: count, ...by },
  // The personal fields of the next events are ciphertexts, which the codec checks.
  FarmerRegistered: { ...farmer, mode, parts: anything },
  FarmerSectionUpdated: { ...farmer, part, data_as_of: text, content: anything },
  CreditScoreChanged: { ...farmer, credit_score: anything },
  TestFarmerDefined: { ...farmer, version: count, lookups: text, reports: record },
  FarmerErased: farmer,
  ConsentReleased: { ...partner, rupa_id: text, granted_revision: count },
  ContributionRecorded: contribution,
  ContributionUpdated: { ...contribution, previous_rupa_id: text },
  IdsReserved: {
    kind: oneOf(ID_KINDS),
    first_id: count,
    last_id: count,
    last_ids: objectWith(Object.fromEntries(ID_KINDS.map((kind) => [kind, count]))),
    ...by,
  },
  WebhookRegistered: { ...endpoint, ...settings, mode, secret_id: text },
  WebhookUpdated: { ...endpoint, ...settings, stays_disabled: absentOr(flag) },
  SigningSecretRotated: { ...endpoint, secret_id: text, previous_secret_id: text },
  WebhookDisabled: { ...endpoint, reason: text },
  WebhookEnabled: endpoint,
  WebhookDeleted: endpoint,
  SandboxEventTriggered: {
    notification_id: text,
    notification_type: text,
    rupa_id: nullOr(text),
    threshold_kobo: nullOr(count),
    ...partner,
  },
  CheckpointSigned: { number: count, tree_size: count, root: text, note: text, ...by },
  CheckpointMade: { number: count, tree_size: count, root: text, note: text, leaves_id: text, ...by },
  CheckpointPageRecorded: { page: count, leaves: listOf(text), recorded_at: time },
  CheckpointPagesIndexed: { pages: listOf(objectWith({ first_partner_id: text, root: text })), recorded_at: time },
  CheckpointKeyIssued: { number: count, name: text, verifier_key: text, ...by },
  AdminCallBegun: call,
  AdminCallEnded: { ...call, status: count },
  MaintenanceBegun: { reason: text, until: absentOr(time), ...by },
  MaintenanceEnded: by,
  ApprovalRequested: {
    ...approval,
    kind: oneOf(APPROVAL_KINDS),
    mode,
    partner_id: nullOr(text),
    amount_kobo: nullOr(count),
    reference: nullOr(text),
    call: record,
    expires_at: time,
  },
  ApprovalGranted: approval,
  ApprovalRejected: { ...approval, reason: text },
  ApprovalExecuted: approval,
  ApprovalLimitSet: { limit_kobo: nullOr(count), ...by },
  EventSkipped: { event_id: text, stream: text, revision: count, position: text, reason: text, ...by },
  LogMoved: { events: count, ...by },
  LogAdopted: { origin: text, former_note: text, former_key: text, lost_events: nullOr(count), reason: text, ...by },
};

/** The shape of the data of every event type. An event of another shape was written by something else and is set aside (docs/adr/0030). */
export const eventShapes: Readonly<Record<AnyEvent['type'], Shape>> = { ...walletShapes, ...others };
