import DataLoader from 'dataloader';
import { type Logger } from 'pino';
import { SpanKind } from '@opentelemetry/api';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { inSpan } from '../../../platform/tracing/spans.js';
import { type ClaimedDelivery, type DeliveryQueue, type Outcome } from './delivery-queue.js';
import { type DeliverySlots, type Slot } from './delivery-slots.js';
import { type DisabledReason } from '../domain/events.js';
import { TEST_TYPE } from '../domain/notification-types.js';
import { notificationBody } from '../domain/notification.js';
import { LANES, PROMPT_MS } from '../domain/fair-shares.js';
import { GONE, evaluateAttempt } from '../domain/retries.js';
import { signatureHeaders } from '../domain/signature.js';
import { DeliveryFailed } from '../egress/delivery-failed.js';
import { type Egress, type Posted } from '../egress/post.js';
import { urlRules } from '../endpoints/endpoint-url.js';
import { type SecretIds } from '../endpoints/signing-secrets.js';
import { type WebhookOptions } from '../webhook-options.js';

/** Added to the time limit of an attempt, for reading secrets and recording the outcome. */
const LEASE_MARGIN_SECONDS = 10;
/** How long a replaced secret still signs `webhook-signature` after a rotation. */
const REPLACED_SECRET_MS = 24 * 60 * 60 * 1_000;
/** A test is attempted once. */
const TEST_SCHEDULE = [0];
/** Attempts that end within this window are recorded by one statement and make room for one larger claim. */
const RECORDING_WINDOW_MS = 10;
/** How often a sender looks for due deliveries if nothing wakes it. */
export const POLL_MS = 500;
/**
 * The survey of the endpoints with due deliveries reads all endpoints. The sender waits until the last survey took only this share of the
 * time, but no longer than the maximum, because new deliveries wait for the next survey.
 */
const SURVEY_SHARE = 0.1;
const SURVEY_PAUSE_MS_MAX = 100;

export interface SenderDependencies {
  readonly queue: DeliveryQueue;
  readonly slots: DeliverySlots;
  readonly egress: Egress;
  readonly settings: WebhookOptions;
  readonly logger: Logger;
  /** Returns the event at a position in the log. Present if attempts are traced. */
  readonly eventAt?: (
    position: bigint,
  ) => Promise<{ readonly id: string; readonly metadata: Pick<StoredEvent['metadata'], 'traceparent'> } | undefined>;
  /** Returns the claimed deliveries that cannot be trusted, or whose address or consent cannot be trusted now. */
  readonly doubtful: (claimed: readonly ClaimedDelivery[]) => Promise<Doubts>;
  /** Called after each outcome was recorded. */
  readonly onRecorded?: (outcome: Outcome) => void;
  /** Returns an endpoint's signing secrets, the current one first. @throws Error if the current one cannot be read */
  secrets(this: void, endpointId: number, ids: SecretIds): Promise<string[]>;
  disable(this: void, endpoint: { readonly endpoint_id: number; readonly partner_id: string }, reason: DisabledReason): Promise<void>;
}

/** Deliveries that must not be sent now. */
export interface Doubts {
  /** Those that somebody edited or added. */
  readonly forged: ReadonlySet<ClaimedDelivery>;
  /** Those whose address or consent may be trusted a moment later. */
  readonly postponed: ReadonlySet<ClaimedDelivery>;
}

interface Attempt {
  readonly delivery: ClaimedDelivery;
  readonly outcome: Outcome;
}

/** Attempts due deliveries: cancels those that are no longer wanted, signs and posts the others, records the outcome and plans the next attempt. */
export class DeliverySender {
  private stopped = false;
  /** Time of the next survey, by `performance.now()`. */
  private surveyAt = 0;
  private readonly inFlight = new Map<ClaimedDelivery, Promise<void>>();
  private readonly recorder = new DataLoader((attempts: readonly Attempt[]) => this.record(attempts), {
    cache: false,
    batchScheduleFn: (start) => setTimeout(start, RECORDING_WINDOW_MS),
  });

  constructor(private readonly dependencies: SenderDependencies) {}

  /**
   * Starts due deliveries where slots are free. Calls `onRoom` whenever a slot becomes free. Returns the milliseconds after which to call it
   * again even if no slot becomes free and no delivery is added; 0 if more deliveries may be due now.
   */
  async start(onRoom: () => void): Promise<number> {
    const { queue, slots, settings } = this.dependencies;
    const surveyInMs = this.surveyAt - performance.now();
    if (surveyInMs <= 0) await this.survey();
    for (let counts = slots.choose(); counts.size > 0; counts = slots.choose()) {
      const claimed = await this.withoutDoubtful(
        await queue.claim(counts, LANES.responsive.perEndpoint, settings.timeoutMs / 1_000 + LEASE_MARGIN_SECONDS),
      );
      slots.claimed(counts, claimed);
      for (const delivery of claimed) this.begin(delivery, onRoom);
      if (claimed.length > 0) return 0;
    }
    if (surveyInMs > 0) return surveyInMs;
    // A recovery's deliveries are due one after another. A sender that came later would send several of them at once.
    return Math.max(1, Math.ceil(Math.min(POLL_MS, (await queue.nextRecoveryMs()) ?? POLL_MS)));
  }

  /** Puts back the deliveries that must not be sent now, and returns the others. */
  private async withoutDoubtful(claimed: readonly ClaimedDelivery[]): Promise<readonly ClaimedDelivery[]> {
    const { queue, doubtful } = this.dependencies;
    try {
      const { forged, postponed } = await doubtful(claimed);
      if (forged.size > 0) await queue.park([...forged]);
      if (postponed.size > 0) await queue.postpone([...postponed]);
      return claimed.filter((delivery) => !forged.has(delivery) && !postponed.has(delivery));
    } catch (error) {
      await queue.postpone(claimed);
      throw error;
    }
  }

  /** Waits for deliveries in flight, at most `timeLimitMs`, and releases the others to be claimed by another sender. */
  async stop(timeLimitMs: number): Promise<void> {
    const timeLimit = new Promise((resolve) => setTimeout(resolve, timeLimitMs).unref());
    await Promise.race([Promise.allSettled(this.inFlight.values()), timeLimit]);
    // An attempt that is interrupted now may have been received, so it must not be recorded as failed.
    this.stopped = true;
    if (this.inFlight.size > 0) await this.dependencies.queue.release([...this.inFlight.keys()]);
  }

  private async survey(): Promise<void> {
    const startedAt = performance.now();
    this.dependencies.slots.setDue(await this.dependencies.queue.dueEndpoints());
    const endedAt = performance.now();
    this.surveyAt = endedAt + Math.min((endedAt - startedAt) / SURVEY_SHARE, SURVEY_PAUSE_MS_MAX);
  }

  private begin(delivery: ClaimedDelivery, onRoom: () => void): void {
    const slot = this.dependencies.slots.begin(delivery);
    const done = this.deliver(delivery, slot, onRoom)
      .catch((error: unknown) => {
        this.dependencies.logger.error(
          { err: error, delivery_id: delivery.delivery_id },
          'a delivery could not be attempted or recorded; it can be claimed again when its lease expires',
        );
      })
      .finally(() => {
        this.inFlight.delete(delivery);
        this.dependencies.slots.end(slot);
        onRoom();
      });
    this.inFlight.set(delivery, done);
  }

  private async deliver(delivery: ClaimedDelivery, slot: Slot, onRoom: () => void): Promise<void> {
    const reason = cancellationReason(delivery);
    if (reason !== undefined) {
      await this.recorder.load({ delivery, outcome: { ...notAttempted(delivery), status: 'cancelled', error: reason } });
      return;
    }
    const secrets = await this.secretsOf(delivery);
    const result = await this.traced(delivery, () => this.timed(slot, onRoom, () => this.post(delivery, secrets)));
    if (this.stopped) return;
    await this.recorder.load({ delivery, outcome: this.outcomeOf(delivery, result) });
    if (result instanceof DeliveryFailed || result.status !== GONE) return;
    await this.dependencies.disable(delivery, 'gone');
  }

  /** Posts, and gives up the slot if the endpoint does not respond promptly. */
  private async timed(slot: Slot, onRoom: () => void, post: () => Promise<Posted | DeliveryFailed>): Promise<Posted | DeliveryFailed> {
    const timer = setTimeout(() => {
      this.dependencies.slots.overrun(slot);
      onRoom();
    }, PROMPT_MS);
    try {
      const result = await post();
      const failed = result instanceof DeliveryFailed;
      this.dependencies.slots.responded(slot, {
        delivered: !failed && result.status >= 200 && result.status <= 299,
        timedOut: failed && result.code === 'timeout',
        durationMs: result.durationMs,
      });
      return result;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records a span for the attempt. No trace headers are sent to partners; the span has the event's id, which partners know. */
  private async traced(delivery: ClaimedDelivery, post: () => Promise<Posted | DeliveryFailed>): Promise<Posted | DeliveryFailed> {
    const { eventAt } = this.dependencies;
    if (!eventAt) return await post();
    const parent = await traceparentOf(delivery, eventAt).catch(() => undefined);
    const attributes = {
      'rupa.webhook.type': delivery.type,
      'rupa.webhook.attempt': delivery.attempt,
      'rupa.webhook.id': delivery.event_id,
    };
    return await inSpan(
      'deliver',
      () => ({ kind: SpanKind.CLIENT, attributes, parent: parent ?? null }),
      async (span) => {
        const result = await post();
        if (result instanceof DeliveryFailed) span?.setAttribute('error.type', result.code);
        else span?.setAttribute('http.response.status_code', result.status);
        return result;
      },
    );
  }

  /**
   * Returns the secrets that sign a delivery. One that cannot be signed goes back to the queue and counts as no attempt: it may wait for days
   * until its secret is restored or rotated, and keeps its retries for the receiver.
   */
  private async secretsOf(delivery: ClaimedDelivery): Promise<readonly string[]> {
    const { queue, secrets } = this.dependencies;
    const { endpoint_id, secret_id, replaced_secrets } = delivery;
    const now = databaseTime(delivery).getTime();
    const replaced = replaced_secrets.filter(({ replaced_at }) => now - Date.parse(replaced_at) < REPLACED_SECRET_MS);
    try {
      return await secrets(endpoint_id, { current: secret_id, replaced: replaced.map((each) => each.secret_id) });
    } catch (error) {
      await queue.holdUnsigned(delivery);
      throw error;
    }
  }

  private async post(delivery: ClaimedDelivery, signing: readonly string[]): Promise<Posted | DeliveryFailed> {
    const { egress, settings } = this.dependencies;
    const now = databaseTime(delivery);
    const body = notificationBody(delivery);
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

  private outcomeOf(delivery: ClaimedDelivery, result: Posted | DeliveryFailed): Outcome {
    const failed = result instanceof DeliveryFailed;
    const { mode, attempt, type } = delivery;
    const at = databaseTime(delivery);
    const attempted = { mode, attempt, status: failed ? undefined : result.status, retryAfter: failed ? undefined : result.retryAfter, at };
    const evaluation = evaluateAttempt(
      attempted,
      type === TEST_TYPE ? TEST_SCHEDULE : this.dependencies.settings.retryScheduleSeconds,
      Math.random(),
    );
    return {
      ...notAttempted(delivery),
      status: evaluation.status,
      next_attempt_at: evaluation.status === 'failed' ? evaluation.nextAttemptAt.toISOString() : null,
      attempted_at: at.toISOString(),
      response_status: failed ? null : result.status,
      duration_ms: result.durationMs,
      error: failed ? result.code : evaluation.status === 'delivered' ? null : `status_${result.status}`,
    };
  }

  private async record(attempts: readonly Attempt[]): Promise<undefined[]> {
    const { queue, settings, disable, onRecorded } = this.dependencies;
    await queue.record(attempts.map(({ outcome }) => outcome));
    for (const { outcome } of attempts) onRecorded?.(outcome);
    const endpoints = (matches: (status: Outcome['status']) => boolean): number[] => [
      ...new Set(attempts.filter(({ outcome }) => matches(outcome.status)).map(({ delivery }) => delivery.endpoint_id)),
    ];
    const failing = await queue.recordHealth(
      endpoints((status) => status === 'delivered'),
      endpoints((status) => status === 'failed' || status === 'exhausted'),
      settings.disableAfterSeconds,
    );
    for (const endpoint_id of failing) {
      const partner_id = attempts.find(({ delivery }) => delivery.endpoint_id === endpoint_id)?.delivery.partner_id ?? '';
      await disable({ endpoint_id, partner_id }, 'failing');
      await queue.forgetHealth(endpoint_id);
    }
    return attempts.map(() => undefined);
  }
}

/** Returns the traceparent of the event that a delivery reports, if it was traced. After a switch to a copy, another event may be there. */
export async function traceparentOf(
  { position, event_id }: Pick<ClaimedDelivery, 'position' | 'event_id'>,
  eventAt: NonNullable<SenderDependencies['eventAt']>,
): Promise<string | undefined> {
  const event = position === null || position.startsWith('-') ? undefined : await eventAt(BigInt(position));
  return event?.id === event_id ? event.metadata.traceparent : undefined;
}

/**
 * Returns the time by the database's clock, which alone decides when a delivery is due. The process's clock may differ from it, and from
 * those of other senders.
 */
function databaseTime({ claimed_at, claimedAtMs }: ClaimedDelivery): Date {
  return new Date(Date.parse(claimed_at) + performance.now() - claimedAtMs);
}

function notAttempted({ delivery_id, holder }: ClaimedDelivery): Omit<Outcome, 'status'> {
  return { delivery_id, holder, attempted_at: null, next_attempt_at: null, response_status: null, duration_ms: null, error: null };
}

/** Returns why a delivery is cancelled instead of sent; undefined if it is to be sent (decisions, "Webhooks"). */
function cancellationReason({ endpoint_status, subscribed, consented, erased }: ClaimedDelivery): string | undefined {
  if (endpoint_status !== 'enabled') return `endpoint_${endpoint_status}`;
  if (!subscribed) return 'unsubscribed';
  if (erased) return 'farmer_erased';
  return consented ? undefined : 'consent_released';
}
