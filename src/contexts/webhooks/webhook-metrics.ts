import { Counter, Histogram, type Registry } from 'prom-client';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];
const OUTCOMES = ['delivered', 'failed', 'exhausted', 'cancelled'] as const;

export type DeliveryOutcome = (typeof OUTCOMES)[number];

/** Metrics of the attempts that this process's sender has recorded. */
export class WebhookMetrics {
  private readonly deliveries: Counter<'outcome'>;
  private readonly duration: Histogram<'outcome'>;

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
    for (const outcome of OUTCOMES) this.deliveries.inc({ outcome }, 0);
  }

  recorded(outcome: DeliveryOutcome, durationMs: number | null): void {
    this.deliveries.inc({ outcome });
    if (durationMs !== null) this.duration.observe({ outcome }, durationMs / 1_000);
  }
}
