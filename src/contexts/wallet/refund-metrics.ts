import { Counter, type Registry } from 'prom-client';
import { type NewEvent } from '../../platform/event-sourcing/recorded-event.js';
import { type WalletEvent } from './domain/events.js';

/** Where the reasons of refunds are written they are sentences for auditors. */
const REFUND_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['the look-up was never answered', 'never_answered'],
  ['the answer failed', 'answer_failed'],
  ['the answer could not be kept', 'answer_not_kept'],
  ['the charge came too late for an answer', 'charged_late'],
]);
const OTHER = 'other';

const REFUND: WalletEvent['type'] = 'RefundIssued';

/** Refunds by reason. */
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
