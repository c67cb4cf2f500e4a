import { type AnyEvent } from './any-event.js';
import { type EventSchema } from '../platform/event-sourcing/coding/event-schema.js';
import { eventShapes } from './event-shapes.js';
import { eventStreams } from './event-streams.js';
import { STORED_DEBIT_VERSION, storedDebit } from '../contexts/wallet/domain/stored-debit.js';

/** The version of the data of each event type, its stored form, and the fields that are personal and therefore encrypted. */
const schemas: Readonly<Record<AnyEvent['type'], EventSchema>> = {
  PartnerRegistered: {},
  PartnerActivated: {},
  PartnerDeactivated: {},
  OptionalSectionsChanged: {},
  IpAllowListChanged: {},
  LowBalanceThresholdChanged: {},
  PartnerDetailsChanged: {},
  SandboxReset: {},
  ApiKeyIssued: {},
  ApiKeyLinked: {},
  ApiKeyExpirySet: {},
  ApiKeyDeactivated: {},
  WalletCredited: {},
  // Version 2 has the data of version 1, in a shorter form.
  WalletDebited: { version: STORED_DEBIT_VERSION, storedForm: storedDebit },
  ConsentGranted: {},
  ChargesSettled: {},
  RefundIssued: {},
  CreditReversed: {},
  WalletPaidOut: {},
  LookupCompensated: {},
  LedgerEntryPosted: {},
  PeriodClosed: {},
  PriceBookPublished: {},
  PriceBookScheduled: {},
  PriceScheduleCancelled: {},
  PriceScheduleFulfilled: {},
  FarmerRegistered: {
    createsDataKey: true,
    personal: ['parts'],
    version: 2,
    // Before version 2, each part that was sent with a registration had an event of its own after it.
    upcasters: [(data) => ({ ...data, parts: {} })],
  },
  FarmerSectionUpdated: { personal: ['content'] },
  CreditScoreChanged: { personal: ['credit_score'] },
  TestFarmerDefined: {},
  FarmerErased: { destroysDataKey: true },
  ConsentReleased: {},
  ContributionRecorded: { personal: ['amount_minor', 'partner_reference', 'payload'] },
  ContributionUpdated: { personal: ['amount_minor', 'partner_reference', 'payload'] },
  IdsReserved: {},
  WebhookRegistered: {},
  WebhookUpdated: {},
  SigningSecretRotated: {},
  WebhookDisabled: {},
  WebhookEnabled: {},
  WebhookDeleted: {},
  SandboxEventTriggered: {},
  CheckpointSigned: {},
  CheckpointMade: {},
  CheckpointPageRecorded: {},
  CheckpointPagesIndexed: {},
  CheckpointKeyIssued: {},
  AdminCallBegun: {},
  AdminCallEnded: {},
  MaintenanceBegun: {},
  MaintenanceEnded: {},
  ApprovalRequested: {},
  ApprovalGranted: {},
  ApprovalRejected: {},
  ApprovalExecuted: {},
  ApprovalLimitSet: {},
  EventSkipped: {},
  LogMoved: {},
  LogAdopted: {},
};

/** The schema of every event type, with the streams that hold it and the shape of its data. */
export const eventCatalogue: Readonly<Record<AnyEvent['type'], EventSchema>> = Object.fromEntries(
  (Object.keys(schemas) as AnyEvent['type'][]).map((type) => [
    type,
    { ...schemas[type], streams: eventStreams[type], shape: eventShapes[type] },
  ]),
) as Record<AnyEvent['type'], EventSchema>;
