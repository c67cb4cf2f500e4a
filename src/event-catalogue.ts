import { type ApiKeyEvent } from './api-keys/domain/events.js';
import { type AuditEvent } from './audit/domain/events.js';
import { type ConsentEvent } from './consents/domain/events.js';
import { type ContributionEvent } from './contributions/domain/events.js';
import { type EventSchema } from './event-sourcing/codec.js';
import { type FarmerEvent } from './farmers/domain/events.js';
import { type IdsEvent } from './ids/domain/events.js';
import { type PartnerEvent } from './partners/domain/events.js';
import { type PricingEvent } from './pricing/domain/events.js';
import { type WalletEvent } from './wallet/domain/events.js';
import { type WebhookEvent } from './webhooks/domain/events.js';

type AnyEvent = PartnerEvent | ApiKeyEvent | WalletEvent | PricingEvent | FarmerEvent | ConsentEvent | ContributionEvent | IdsEvent | WebhookEvent | AuditEvent;

/** Every event type there is: which version its data has, and what in it is personal. */
export const eventCatalogue: Readonly<Record<AnyEvent['type'], EventSchema>> = {
  PartnerRegistered: {},
  PartnerActivated: {},
  PartnerDeactivated: {},
  OptionalSectionsChanged: {},
  IpAllowListChanged: {},
  ApiKeyIssued: {},
  ApiKeyLinked: {},
  ApiKeyDeactivated: {},
  WalletCredited: {},
  WalletDebited: {},
  ConsentGranted: {},
  ChargesSettled: {},
  RefundIssued: {},
  PriceBookPublished: {},
  FarmerRegistered: { createsDataKey: true },
  FarmerSectionUpdated: { personal: ['content'] },
  CreditScoreChanged: { personal: ['credit_score'] },
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
  AdminCallBegun: {},
  AdminCallEnded: {},
};
