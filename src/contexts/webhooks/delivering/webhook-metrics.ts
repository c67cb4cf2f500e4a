import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type DeliverySlots } from './delivery-slots.js';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];
const OUTCOMES = ['delivered', 'failed', 'exhausted', 'cancelled'] as const;

export type DeliveryOutcome = (typeof OUTCOMES)[number];

/** Metrics of this process's sender. */
export class WebhookMetrics {
  private readonly deliveries: Counter<'outcome'>;
  private readonly duration: Histogram<'outcome'>;
  private slots: DeliverySlots | undefined;

  constructor(registry: Registry) {
    const registers = [registry];
    const help =
      'Webhook attempts by outcome; `failed` will be retried, `exhausted` will not, `cancelled` was no longer wanted and not attempted';
    this.deliveries = new Counter({ name: 'rupa_webhook_deliveries_total', help, labelNames: ['outcome'], registers });
    this.duration = new Histogram({
      name: 'rupa_webhook_attempt_duration_seconds',
      help: 'Duration of a webhook attempt, from the DNS lookup to the last byte of the response, by outcome',
      labelNames: ['outcome'],
      buckets: SECONDS,
      registers,
    });
    const usage = (): ReturnType<DeliverySlots['usage']> | undefined => this.slots?.usage();
    new Gauge({
      name: 'rupa_webhook_attempts_in_flight',
      help: 'Webhook attempts in flight, by the lane of their endpoint; `overrunning` attempts have given up their slot',
      labelNames: ['lane'],
      registers,
      collect() {
        for (const [lane, count] of Object.entries(usage()?.inFlight ?? {})) this.set({ lane }, count);
      },
    });
    new Gauge({
      name: 'rupa_webhook_slow_endpoints',
      help: 'Endpoints with due deliveries that share the slots for slow endpoints, because they did not respond promptly',
      registers,
      collect() {
        this.set(usage()?.slowEndpoints ?? 0);
      },
    });
    for (const outcome of OUTCOMES) this.deliveries.inc({ outcome }, 0);
  }

  /** Shows the slots of the sender at every scrape. */
  watch(slots: DeliverySlots): void {
    this.slots = slots;
  }

  recorded(outcome: DeliveryOutcome, durationMs: number | null): void {
    this.deliveries.inc({ outcome });
    if (durationMs !== null) this.duration.observe({ outcome }, durationMs / 1_000);
  }
}
