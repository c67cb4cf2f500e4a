import { type ApprovalEvent, type ApprovalLimitSet } from '../contexts/approvals/domain/events.js';
import { type ApiKeyEvent } from '../contexts/partners/domain/api-key-events.js';
import { type AdminAuditEvent } from '../contexts/evidence/domain/admin-audit-events.js';
import { type CheckpointEvent } from '../contexts/evidence/domain/events.js';
import { type ConsentEvent } from '../contexts/consents/domain/events.js';
import { type ContributionEvent } from '../contexts/reports/domain/events.js';
import { type EventSkipped } from '../platform/unusable-events/domain/events.js';
import { type FarmerEvent } from '../contexts/farmers/domain/events.js';
import { type IdsEvent } from '../platform/ids/domain/events.js';
import { type MaintenanceEvent } from '../contexts/maintenance/domain/events.js';
import { type LedgerEvent } from '../contexts/accounting/domain/events.js';
import { type LogMoved } from '../platform/log-moving/record-move.js';
import { type PartnerEvent } from '../contexts/partners/domain/events.js';
import { type PriceScheduleEvent, type PricingEvent } from '../contexts/pricing/domain/events.js';
import { type WalletEvent } from '../contexts/wallet/domain/events.js';
import { type SandboxEventTriggered, type WebhookEvent } from '../contexts/webhooks/domain/events.js';

/** Every event that the service writes. */
export type AnyEvent =
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
  | AdminAuditEvent
  | MaintenanceEvent
  | LedgerEvent
  | ApprovalEvent
  | ApprovalLimitSet
  | EventSkipped
  | LogMoved;
