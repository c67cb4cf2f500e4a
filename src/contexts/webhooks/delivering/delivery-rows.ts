import { type DeliveryStatus } from '../endpoints/webhook-responses.dto.js';

/** A row of ops.webhook_delivery: the delivery of a notification, or of a test, to an endpoint. */
export interface DeliveryRow {
  readonly delivery_id: number;
  readonly event_id: string;
  readonly endpoint_id: number;
  readonly partner_id: string;
  readonly type: string;
  readonly rupa_id: string | null;
  readonly event: string | null;
  readonly contribution_id: number | null;
  readonly occurred_at: string | null;
  readonly recorded_at: string;
  /** That of the notification; null for a test. */
  readonly sequence: string | null;
  readonly status: DeliveryStatus;
  /** Number of the attempts made so far, and of the one that a claimed delivery is in. */
  readonly attempt: number;
  readonly next_attempt_at: string | null;
  readonly attempted_at: string | null;
  readonly response_status: number | null;
  readonly duration_ms: number | null;
  readonly error: string | null;
  readonly holder: string | null;
  readonly leased_until: string | null;
  readonly created_at: string;
  readonly data: object | null;
  readonly recovering: boolean;
  /** Covers the columns of `deliveryTable` (signed-rows.ts). */
  readonly mac: string;
}

/** A row of ops.webhook_health: since when all attempts to an endpoint have failed. */
export interface HealthRow {
  readonly endpoint_id: number;
  readonly failing_since: string;
}
