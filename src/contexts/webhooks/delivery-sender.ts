import DataLoader from 'dataloader';
import { type Logger } from 'pino';
import { SpanKind } from '@opentelemetry/api';
import { inSpan } from '../../platform/tracing/spans.js';
import { type Claimed, type DeliveryQueue, type Outcome } from './delivery-queue.js';
import { type DisabledReason } from './domain/events.js';
import { TEST_TYPE } from './domain/notification-types.js';
import { notificationBody } from './domain/notification.js';
import { GONE, judge } from './domain/retries.js';
import { signatureHeaders } from './domain/signature.js';
import { DeliveryFailed } from './egress/delivery-failed.js';
import { type Egress, type Posted } from './egress/post.js';
import { urlRules } from './endpoint-url.js';
import { type WebhookOptions } from './webhook-options.js';

/** Posts at once, altogether and to one endpoint: a slow receiver holds up nobody but itself. */
const MAX_AT_ONCE = 256;
const MAX_PER_ENDPOINT = 16;
/** Beyond the time limit of an attempt, for what is around it. */
const LEASE_MARGIN_SECONDS = 10;
/** After a rotation the replaced secret signs for so long. */
const REPLACED_SECRET_MS = 24 * 60 * 60 * 1_000;
const TEST_SCHEDULE = [0];
/** What ends within so long is recorded by one statement, and makes room for one claim. */
const RECORD_AFTER_MS = 10;

export interface SenderParts {
  readonly queue: DeliveryQueue;
  readonly egress: Egress;
  readonly settings: WebhookOptions;
  readonly logger: Logger;
  /** Of the event at this place in the log, where it was traced. */
  readonly traceparentAt?: (position: bigint) => Promise<string | undefined>;
  /** Is told of what was recorded. */
  readonly onRecorded?: (outcome: Outcome) => void;
  /** Of an endpoint, in the order of the ids. */
  secrets(this: void, endpointId: number, secretIds: readonly string[]): Promise<string[]>;
  disable(this: void, endpoint: { readonly endpoint_id: number; readonly partner_id: string }, reason: DisabledReason): Promise<void>;
}

interface Attempt {
  readonly delivery: Claimed;
  readonly outcome: Outcome;
}

/** Attempts due deliveries: checks once more whether they are wanted, signs, posts, records and plans the next attempt. */
export class DeliverySender {
  private stopped = false;
  private readonly underway = new Map<Claimed, Promise<void>>();
  private readonly recorder = new DataLoader((attempts: readonly Attempt[]) => this.record(attempts), {
    cache: false,
    batchScheduleFn: (start) => setTimeout(start, RECORD_AFTER_MS),
  });

  constructor(private readonly parts: SenderParts) {}

  /** Starts what is due, as far as there is room; answers how many. `onEnd` is called as each ends. */
  async start(onEnd: () => void): Promise<number> {
    const { queue, settings } = this.parts;
    const room = MAX_AT_ONCE - this.underway.size;
    if (room <= 0) return 0;
    const claimed = await queue.claim(room, MAX_PER_ENDPOINT, settings.timeoutMs / 1_000 + LEASE_MARGIN_SECONDS);
    for (const delivery of claimed) {
      const done = this.deliver(delivery)
        .catch((error: unknown) => {
          this.parts.logger.error(
            { err: error, delivery_id: delivery.delivery_id },
            'a delivery could not be attempted or recorded; its lease will run out',
          );
        })
        .finally(() => {
          this.underway.delete(delivery);
          onEnd();
        });
      this.underway.set(delivery, done);
    }
    return claimed.length;
  }

  /** Waits for what is under way, `patienceMs` at most; the rest is sent again by whoever claims it next. */
  async stop(patienceMs: number): Promise<void> {
    const patience = new Promise((resolve) => setTimeout(resolve, patienceMs).unref());
    await Promise.race([Promise.allSettled(this.underway.values()), patience]);
    // What is broken off now was perhaps received: it is no failed attempt.
    this.stopped = true;
    if (this.underway.size > 0) await this.parts.queue.release([...this.underway.keys()]);
  }

  private async deliver(delivery: Claimed): Promise<void> {
    const unwanted = unwantedBecause(delivery);
    if (unwanted !== undefined) {
      await this.recorder.load({ delivery, outcome: { ...nothing(delivery), status: 'cancelled', error: unwanted } });
      return;
    }
    const answer = await this.traced(delivery, () => this.post(delivery));
    if (this.stopped) return;
    await this.recorder.load({ delivery, outcome: this.outcomeOf(delivery, answer) });
    if (answer instanceof DeliveryFailed || answer.status !== GONE) return;
    await this.parts.disable(delivery, 'gone');
  }

  /** Partners are told nothing of traces: the event's id, which they have, leads there. */
  private async traced(delivery: Claimed, post: () => Promise<Posted | DeliveryFailed>): Promise<Posted | DeliveryFailed> {
    const { traceparentAt } = this.parts;
    if (!traceparentAt) return await post();
    const parent = delivery.sequence === null ? undefined : await traceparentAt(BigInt(delivery.sequence)).catch(() => undefined);
    const attributes = {
      'rupa.webhook.type': delivery.type,
      'rupa.webhook.attempt': delivery.attempt,
      'rupa.webhook.id': delivery.event_id,
    };
    return await inSpan(
      'deliver',
      () => ({ kind: SpanKind.CLIENT, attributes, parent: parent ?? null }),
      async (span) => {
        const answer = await post();
        if (answer.status !== undefined) span?.setAttribute('http.response.status_code', answer.status);
        if (answer instanceof DeliveryFailed) span?.setAttribute('error.type', answer.code);
        return answer;
      },
    );
  }

  private async post(delivery: Claimed): Promise<Posted | DeliveryFailed> {
    const { egress, settings, secrets } = this.parts;
    const now = new Date();
    const replaced = delivery.replaced_secrets.filter(({ replaced_at }) => now.getTime() - Date.parse(replaced_at) < REPLACED_SECRET_MS);
    const body = notificationBody(delivery);
    const signing = await secrets(delivery.endpoint_id, [delivery.secret_id, ...replaced.map(({ secret_id }) => secret_id)]);
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Rupa-Webhooks/1',
      ...signatureHeaders({ id: delivery.event_id, body, secrets: signing, now }),
    };
    try {
      return await egress.post({ url: delivery.url, headers, body, timeoutMs: settings.timeoutMs, ...urlRules(delivery.mode, settings) });
    } catch (error) {
      if (error instanceof DeliveryFailed) return error;
      throw error;
    }
  }

  private outcomeOf(delivery: Claimed, answer: Posted | DeliveryFailed): Outcome {
    const failed = answer instanceof DeliveryFailed;
    const { mode, attempt, type } = delivery;
    const at = new Date();
    const attempted = { mode, attempt, status: failed ? undefined : answer.status, retryAfter: failed ? undefined : answer.retryAfter, at };
    const verdict = judge(attempted, type === TEST_TYPE ? TEST_SCHEDULE : this.parts.settings.retryScheduleSeconds, Math.random());
    return {
      ...nothing(delivery),
      status: verdict.status,
      next_attempt_at: verdict.status === 'failed' ? verdict.nextAttemptAt.toISOString() : null,
      attempted_at: at.toISOString(),
      response_status: answer.status ?? null,
      duration_ms: answer.durationMs,
      error: failed ? answer.code : verdict.status === 'delivered' ? null : `status_${answer.status}`,
    };
  }

  private async record(attempts: readonly Attempt[]): Promise<undefined[]> {
    const { queue, settings, disable, onRecorded } = this.parts;
    await queue.record(attempts.map(({ outcome }) => outcome));
    for (const { outcome } of attempts) onRecorded?.(outcome);
    const endpoints = (wanted: (status: Outcome['status']) => boolean): number[] => [
      ...new Set(attempts.filter(({ outcome }) => wanted(outcome.status)).map(({ delivery }) => delivery.endpoint_id)),
    ];
    const failing = await queue.noteHealth(
      endpoints((status) => status === 'delivered'),
      endpoints((status) => status === 'failed' || status === 'exhausted'),
      settings.disableAfterSeconds,
    );
    for (const endpoint_id of failing) {
      const partner_id = attempts.find(({ delivery }) => delivery.endpoint_id === endpoint_id)?.delivery.partner_id ?? '';
      await disable({ endpoint_id, partner_id }, 'failing');
    }
    return attempts.map(() => undefined);
  }
}

function nothing({ delivery_id, holder }: Claimed): Omit<Outcome, 'status'> {
  return { delivery_id, holder, attempted_at: null, next_attempt_at: null, response_status: null, duration_ms: null, error: null };
}

/** Decisions, "Webhooks": such a delivery is cancelled, not sent. */
function unwantedBecause({ endpoint_status, subscribed, consented, erased }: Claimed): string | undefined {
  if (endpoint_status !== 'enabled') return `endpoint_${endpoint_status}`;
  if (!subscribed) return 'unsubscribed';
  if (erased) return 'farmer_erased';
  return consented ? undefined : 'consent_released';
}
