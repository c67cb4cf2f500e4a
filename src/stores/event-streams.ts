import { categoriesOf, type EventStreams } from '../platform/event-sourcing/coding/event-schema.js';
import { type AnyEvent } from './any-event.js';

type Data = Readonly<Record<string, unknown>>;

/** The streams of a category whose id is in a field of each event. */
function named(category: string, field: string, options: Pick<EventStreams, 'chained'> = {}): EventStreams {
  return { category, ...options, holds: (id, data) => String(data[field]) === id };
}

/** A category with one stream. */
function single(category: string): EventStreams {
  return { category, holds: (id) => id === 'main' };
}

/** A category whose streams' ids do not follow from the events. */
function any(category: string): EventStreams {
  return { category, holds: () => true };
}

const partner = named('partner', 'partner_id');
const apiKey = named('apikey', 'key_id');
const wallet = named('wallet', 'partner_id', { chained: true });
const farmer = named('farmer', 'rupa_id');
const webhook = named('webhook', 'endpoint_id');
const priceSchedule = single('priceschedule');
const approval = named('approval', 'approval_id');
const maintenance = single('maintenance');
const consent = {
  category: 'consent',
  holds: (id: string, { partner_id, rupa_id }: Data) => id === `${String(partner_id)}-${String(rupa_id)}`,
};
const contribution = { category: 'contribution', holds: (id: string, { partner_id }: Data) => id.startsWith(`${String(partner_id)}-`) };
const leaves = any('checkpoint_leaves');
const audit = any('admin_audit');

/** The streams that hold each event type. An event of that type in another stream was written by something else (docs/adr/0030). */
export const eventStreams: Readonly<Record<AnyEvent['type'], EventStreams>> = {
  PartnerRegistered: partner,
  PartnerActivated: partner,
  PartnerDeactivated: partner,
  OptionalSectionsChanged: partner,
  IpAllowListChanged: partner,
  LowBalanceThresholdChanged: partner,
  PartnerDetailsChanged: partner,
  SandboxReset: partner,
  ApiKeyIssued: apiKey,
  ApiKeyLinked: apiKey,
  ApiKeyExpirySet: apiKey,
  ApiKeyDeactivated: { ...apiKey, continued: true },
  WalletCredited: wallet,
  WalletDebited: wallet,
  ConsentGranted: wallet,
  ChargesSettled: wallet,
  RefundIssued: wallet,
  CreditReversed: wallet,
  WalletPaidOut: wallet,
  LookupCompensated: wallet,
  LedgerEntryPosted: named('ledger', 'mode'),
  PeriodClosed: named('ledger', 'mode'),
  PriceBookPublished: single('pricebook'),
  PriceBookScheduled: priceSchedule,
  PriceScheduleCancelled: priceSchedule,
  PriceScheduleFulfilled: priceSchedule,
  FarmerRegistered: farmer,
  FarmerSectionUpdated: farmer,
  CreditScoreChanged: farmer,
  TestFarmerDefined: farmer,
  FarmerErased: { ...farmer, continued: true },
  ConsentReleased: consent,
  ContributionRecorded: contribution,
  ContributionUpdated: contribution,
  IdsReserved: single('ids'),
  WebhookRegistered: webhook,
  WebhookUpdated: webhook,
  SigningSecretRotated: webhook,
  WebhookDisabled: webhook,
  WebhookEnabled: webhook,
  WebhookDeleted: webhook,
  SandboxEventTriggered: named('sandbox_event', 'notification_id'),
  CheckpointSigned: single('checkpoints'),
  CheckpointMade: single('checkpoints'),
  CheckpointPageRecorded: leaves,
  CheckpointPagesIndexed: leaves,
  CheckpointKeyIssued: single('checkpoint_keys'),
  AdminCallBegun: audit,
  AdminCallEnded: audit,
  MaintenanceBegun: maintenance,
  MaintenanceEnded: maintenance,
  ApprovalRequested: approval,
  ApprovalGranted: approval,
  ApprovalRejected: approval,
  ApprovalExecuted: approval,
  ApprovalLimitSet: single('approvallimit'),
  EventSkipped: single('operations'),
  LogMoved: single('log'),
  LogAdopted: single('log'),
};

/** The categories of the service's streams. Whatever happens to other streams does not concern it. */
export const CATEGORIES: ReadonlySet<string> = new Set(Object.values(eventStreams).flatMap(categoriesOf));
