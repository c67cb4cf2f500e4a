import { Counter, type Registry } from 'prom-client';
import { type EventStoreMetrics } from '../../../platform/metrics/definitions/event-store.js';
import { type WalletEvent } from '../domain/events.js';

/** Metric labels by the reason recorded in RefundIssued, which is worded for auditors. */
const REFUND_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['no response was sent for the lookup', 'no_response'],
  ['the response failed', 'response_failed'],
  ['the response could not be stored', 'response_not_stored'],
  ['the charge came too late for a response', 'charged_late'],
  ['lookups of this test farmer fail', 'test_farmer'],
]);
const OTHER = 'other';

const REFUND: WalletEvent['type'] = 'RefundIssued';

/** Counts refunds by reason, from their events. */
export function countRefunds(registry: Registry, events: Pick<EventStoreMetrics, 'onEvent'>): void {
  const refunds = new Counter({
    name: 'rupa_refunds_total',
    help: 'Refunds that this process has issued, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of [...REFUND_REASONS.values(), OTHER]) refunds.inc({ reason }, 0);
  events.onEvent(({ type, data }) => {
    if (type === REFUND) refunds.inc({ reason: REFUND_REASONS.get(data.reason) ?? OTHER });
  });
}
