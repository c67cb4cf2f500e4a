import { Counter, type Registry } from 'prom-client';
import { type NewEvent } from '../../../platform/event-sourcing/recorded-event.js';
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

/** Counts refunds by reason. */
export class RefundMetrics {
  private readonly refunds: Counter<'reason'>;

  constructor(registry: Registry) {
    this.refunds = new Counter({
      name: 'rupa_refunds_total',
      help: 'Refunds that this process has issued, by reason',
      labelNames: ['reason'],
      registers: [registry],
    });
    for (const reason of [...REFUND_REASONS.values(), OTHER]) this.refunds.inc({ reason }, 0);
  }

  appended({ type, data }: NewEvent): void {
    if (type === REFUND) this.refunds.inc({ reason: REFUND_REASONS.get(data.reason) ?? OTHER });
  }
}
