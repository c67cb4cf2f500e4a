import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { deleteOldRows, type OnDeleted } from '../../../platform/database/delete-old-rows.js';
import { EVENTS_KEPT_DAYS } from '../domain/notification.js';

const DELIVERIES = 'ops.webhook_delivery';
const NOTIFICATIONS = 'ops.notification';
const RECIPIENTS = 'ops.notification_recipient';
export const TABLES_WITH_OLD_ROWS = [DELIVERIES, NOTIFICATIONS, RECIPIENTS];
const DELETE_EVERY_MS = 10 * 60 * 1_000;
const DAY_SECONDS = 86_400;

export interface OldDeliveriesOptions {
  readonly pool: Pool;
  /** Days after which deliveries that have ended are deleted. */
  readonly retentionDays: number;
  readonly onDeleted?: OnDeleted | undefined;
}

/**
 * Deletes old deliveries and notifications every ten minutes until `signal` is aborted. It runs beside the sender, so that no delivery waits
 * for it.
 */
export async function deleteOldDeliveriesRegularly(options: OldDeliveriesOptions, logger: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await deleteOldDeliveries(options, signal);
    } catch (error) {
      logger.warn({ reason: String(error) }, 'old deliveries and notifications could not be deleted; retrying in 10 minutes');
    }
    await delay(DELETE_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Deletes the deliveries that have ended and whose retention is over, and the notifications that the list of events no longer shows. */
export async function deleteOldDeliveries({ pool, retentionDays, onDeleted }: OldDeliveriesOptions, signal?: AbortSignal): Promise<void> {
  const options = { onDeleted, signal };
  await deleteOldRows(
    pool,
    { table: DELIVERIES, column: 'created_at', seconds: retentionDays * DAY_SECONDS, where: 'next_attempt_at is null' },
    options,
  );
  for (const table of [NOTIFICATIONS, RECIPIENTS])
    await deleteOldRows(pool, { table, column: 'created_at', seconds: EVENTS_KEPT_DAYS * DAY_SECONDS }, options);
}
