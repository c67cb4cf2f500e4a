import type pg from 'pg';
import { type Logger } from 'pino';
import { connectionConfig } from '../../../platform/database/pool.js';
import { SessionClient } from '../../../platform/database/session-client.js';
import { type Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { Outages } from '../../../platform/store-outages.js';
import { type OnDeleted } from '../../../platform/database/delete-old-rows.js';
import { type MasterKeys } from '../../../platform/key-store/master-keys.js';
import { Secrets } from '../../../platform/key-store/secrets.js';
import { type DeliveryChecks, doubtfulDeliveries } from './doubtful-deliveries.js';
import { DeliveryQueue } from './delivery-queue.js';
import { DELIVERIES_CHANNEL } from '../notifying/notification-writer.js';
import { type DeliverySlots } from './delivery-slots.js';
import { deleteOldDeliveriesRegularly } from './old-deliveries.js';
import { DeliverySender, POLL_MS, type SenderDependencies } from './delivery-sender.js';
import { Egress } from '../egress/post.js';
import { resolveName } from '../egress/public-address.js';
import { CachedSecrets, SigningSecrets } from '../endpoints/signing-secrets.js';
import { type WebhookOptions } from '../webhook-options.js';
import { WEBHOOK_STREAMS } from '../domain/webhook.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';

const CORRECT_TIMES_EVERY_MS = 10 * 60 * 1_000;
/** Milliseconds that a stopping sender waits for its attempts. This is shorter than an attempt's time limit; the rest is sent again later. */
const STOP_TIMEOUT_MS = 3_000;

export interface SenderStores extends DeliveryChecks {
  readonly databaseUrl: string;
  readonly eventStore: EventStore;
  readonly codec: Codec;
  readonly masterKeys: MasterKeys;
  readonly settings: WebhookOptions;
  readonly logger: Logger;
  readonly slots: DeliverySlots;
  readonly onRecorded?: SenderDependencies['onRecorded'];
  readonly onDeleted?: OnDeleted;
  /** Whether attempts are recorded as spans of the traces of their events. */
  readonly traced: boolean;
}

/** Sends due deliveries until `signal` is aborted. Any number of senders can run in parallel. */
export async function runSender(stores: SenderStores, signal: AbortSignal): Promise<void> {
  const { pool, settings, logger } = stores;
  const queue = new DeliveryQueue(pool);
  // Names in private networks may be known to the system's resolver only, for example from /etc/hosts.
  const egress = settings.allowPrivateNetworks ? new Egress() : new Egress(resolveName);
  const sender = new DeliverySender(dependenciesOf(stores, queue, egress));
  const wakeUp = new WakeUpSignal(stores.databaseUrl);
  const outages = new Outages();
  let correctedAt = -Infinity;
  let polledAt = -Infinity;
  const { retentionDays } = settings;
  const deleting = deleteOldDeliveriesRegularly({ pool, retentionDays, onDeleted: stores.onDeleted }, logger, signal);
  const stopping = (): boolean => signal.aborted;
  while (!stopping()) {
    try {
      await wakeUp.listen();
      if (performance.now() - polledAt >= POLL_MS) {
        await queue.cancelForInactiveEndpoints();
        await queue.forgetHealthOfDisabled();
        polledAt = performance.now();
      }
      if (performance.now() - correctedAt >= CORRECT_TIMES_EVERY_MS) {
        await queue.correctTimesAhead();
        correctedAt = performance.now();
      }
      const idleMs = await sender.start(() => {
        wakeUp.raise();
      });
      if (idleMs > 0) await wakeUp.wait(idleMs, signal);
    } catch (error) {
      if (stopping()) break;
      if (outages.isNew(error)) logger.warn({ reason: String(error) }, 'deliveries could not be claimed; retrying every 500 ms');
      await wakeUp.wait(POLL_MS, signal);
    }
  }
  await sender.stop(STOP_TIMEOUT_MS);
  await wakeUp.close();
  egress.destroy();
  await deleting;
}

function dependenciesOf(stores: SenderStores, queue: DeliveryQueue, egress: Egress): SenderDependencies {
  const { pool, masterKeys, eventStore, codec, slots, settings, logger, onRecorded, traced } = stores;
  const secrets = new CachedSecrets(new SigningSecrets(new Secrets(pool, masterKeys)));
  const stream = new StreamWriter(eventStore, codec, WEBHOOK_STREAMS);
  return {
    queue,
    slots,
    egress,
    settings,
    logger,
    ...(onRecorded ? { onRecorded } : {}),
    ...(traced ? { eventAt: (position: bigint) => eventStore.eventAt(position) } : {}),
    doubtful: (claimed) => doubtfulDeliveries(stores, claimed),
    secrets: (endpointId, ids) => secrets.read(endpointId, ids),
    disable: async ({ endpoint_id, partner_id }, reason) => {
      const command = { kind: 'disable' as const, endpoint_id, partner_id, reason, at: new Date().toISOString(), actor: 'service' };
      await stream.execute(String(endpoint_id), command);
      logger.warn({ endpoint_id, reason }, 'a webhook endpoint was disabled');
    },
  };
}

/** Wakes the sender when a delivery is due now (by a PostgreSQL notification) or when a slot became free. */
class WakeUpSignal {
  private raised = false;
  private wake: (() => void) | undefined;
  private client: pg.Client | undefined;

  constructor(private readonly databaseUrl: string) {}

  /** Connects and listens, unless it already does. */
  async listen(): Promise<void> {
    if (this.client) return;
    const client = new SessionClient({ ...connectionConfig(this.databaseUrl, { statements: 'background' }), keepAlive: true });
    const lost = (): void => {
      if (this.client === client) this.client = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', () => {
      this.raise();
    });
    try {
      await client.connect();
      await client.query(`listen ${DELIVERIES_CHANNEL}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    this.client = client;
  }

  raise(): void {
    this.raised = true;
    this.wake?.();
  }

  /** Waits until the wake-up is raised or `signal` is aborted, at most `ms` milliseconds. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = (): void => {
      resolve(undefined);
    };
    this.wake = wake;
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake, { once: true });
    if (this.raised || signal.aborted) wake();
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    this.wake = undefined;
    this.raised = false;
  }

  async close(): Promise<void> {
    await this.client?.end().catch(() => undefined);
  }
}
