import { type ApiKeyEvent } from '../contexts/api-keys/domain/events.js';
import { type AdminAuditEvent } from '../contexts/admin-audit/domain/events.js';
import { type CheckpointEvent } from '../contexts/checkpoints/domain/events.js';
import { type ConsentEvent } from '../contexts/consents/domain/events.js';
import { type ContributionEvent } from '../contexts/contributions/domain/events.js';
import { type EventSchema } from '../platform/event-sourcing/codec.js';
import { type FarmerEvent } from '../contexts/farmers/domain/events.js';
import { type IdsEvent } from '../platform/ids/domain/events.js';
import { type PartnerEvent } from '../contexts/partners/domain/events.js';
import { type PriceScheduleEvent, type PricingEvent } from '../contexts/pricing/domain/events.js';
import { type WalletEvent } from '../contexts/wallet/domain/events.js';
import { STORED_DEBIT_VERSION, storedDebit } from '../contexts/wallet/domain/stored-debit.js';
import { type SandboxEventTriggered, type WebhookEvent } from '../contexts/webhooks/domain/events.js';

type AnyEvent =
  | PartnerEvent
  | ApiKeyEvent
  | WalletEvent
  | PricingEvent
  | PriceScheduleEvent
  | FarmerEvent
  | ConsentEvent
  | ContributionEvent
  | IdsEvent
  | WebhookEvent
  | SandboxEventTriggered
  | CheckpointEvent
  | AdminAuditEvent;

/** The schema of every event type: the version of its data, its stored form, and which fields are personal and therefore encrypted. */
export const eventCatalogue: Readonly<Record<AnyEvent['type'], EventSchema>> = {
  PartnerRegistered: {},
  PartnerActivated: {},
  PartnerDeactivated: {},
  OptionalSectionsChanged: {},
  IpAllowListChanged: {},
  LowBalanceThresholdChanged: {},
  ApiKeyIssued: {},
  ApiKeyLinked: {},
  ApiKeyDeactivated: {},
  WalletCredited: {},
  // Version 2 has the data of version 1, in a shorter form.
  WalletDebited: { version: STORED_DEBIT_VERSION, storedForm: storedDebit },
  ConsentGranted: {},
  ChargesSettled: {},
  RefundIssued: {},
  CreditReversed: {},
  LookupCompensated: {},
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
  WebhookDeleted: {},
  SandboxEventTriggered: {},
  CheckpointMade: {},
  CheckpointPageRecorded: {},
  CheckpointPagesIndexed: {},
  CheckpointKeyIssued: {},
  AdminCallBegun: {},
  AdminCallEnded: {},
};
