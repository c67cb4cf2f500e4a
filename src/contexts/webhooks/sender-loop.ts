import pg, { type Pool } from 'pg';
import { type Logger } from 'pino';
import { connectionConfig } from '../../platform/database/pool.js';
import { type Codec } from '../../platform/event-sourcing/codec.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type MasterKeys } from '../../platform/key-store/master-keys.js';
import { Secrets } from '../../platform/key-store/secrets.js';
import { DELIVERIES_CHANNEL } from './deliveries-channel.js';
import { DeliveryQueue } from './delivery-queue.js';
import { DeliverySender, type SenderParts } from './delivery-sender.js';
import { Egress } from './egress/post.js';
import { resolveName } from './egress/resolve-name.js';
import { RememberedSecrets, SigningSecrets } from './signing-secrets.js';
import { type WebhookOptions } from './webhook-options.js';
import { WebhookStream } from './webhook-stream.js';

const POLL_MS = 500;
const CLEAN_UP_EVERY_MS = 10 * 60 * 1_000;
/** Shorter than the time limit of an attempt: what is not answered by then is sent again. */
const STOP_PATIENCE_MS = 3_000;

export interface SenderStores {
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly codec: Codec;
  readonly masterKeys: MasterKeys;
  readonly settings: WebhookOptions;
  readonly logger: Logger;
  readonly onRecorded?: SenderParts['onRecorded'];
  readonly traceparentAt?: SenderParts['traceparentAt'];
}

/** Sends what is due until `signal` is aborted. Any number of senders run side by side. */
export async function runSender(stores: SenderStores, signal: AbortSignal): Promise<void> {
  const { pool, settings, logger } = stores;
  const queue = new DeliveryQueue(pool);
  // The system's own resolver knows the names of private networks.
  const egress = settings.allowPrivateNetworks ? new Egress() : new Egress(resolveName);
  const sender = new DeliverySender(partsOf(stores, queue, egress));
  const wakeUp = new DeliveryWakeUp(stores.databaseUrl);
  let cleanedUpAt = 0;
  let polledAt = 0;
  const stopping = (): boolean => signal.aborted;
  while (!stopping()) {
    try {
      await wakeUp.listen();
      if (Date.now() - polledAt >= POLL_MS) {
        await queue.cancelUnwanted();
        polledAt = Date.now();
      }
      if (Date.now() - cleanedUpAt >= CLEAN_UP_EVERY_MS) {
        await queue.removeOld(settings.retentionDays);
        cleanedUpAt = Date.now();
      }
      const started = await sender.start(() => {
        wakeUp.ring();
      });
      if (started === 0) await wakeUp.heard(POLL_MS, signal);
    } catch (error) {
      if (stopping()) break;
      logger.warn({ reason: String(error) }, 'deliveries could not be claimed; trying again');
      await wakeUp.heard(POLL_MS, signal);
    }
  }
  await sender.stop(STOP_PATIENCE_MS);
  await wakeUp.close();
  await egress.destroy();
}

function partsOf(
  { pool, masterKeys, eventStore, codec, settings, logger, onRecorded, traceparentAt }: SenderStores,
  queue: DeliveryQueue,
  egress: Egress,
): SenderParts {
  const secrets = new RememberedSecrets(new SigningSecrets(new Secrets(pool, masterKeys)));
  const stream = new WebhookStream(eventStore, codec);
  return {
    queue,
    egress,
    settings,
    logger,
    ...(onRecorded ? { onRecorded } : {}),
    ...(traceparentAt ? { traceparentAt } : {}),
    secrets: (endpointId, secretIds) => secrets.read(endpointId, secretIds),
    disable: async ({ endpoint_id, partner_id }, reason) => {
      const command = { kind: 'disable' as const, endpoint_id, partner_id, reason, at: new Date().toISOString(), actor: 'service' };
      await stream.execute(String(endpoint_id), command);
      logger.warn({ endpoint_id, reason }, 'a webhook endpoint was disabled');
    },
  };
}

/** Rings when something is to be sent at once, or when there is room again. */
class DeliveryWakeUp {
  private rung = false;
  private wake: (() => void) | undefined;
  private client: pg.Client | undefined;

  constructor(private readonly databaseUrl: string) {}

  /** Connects, where it is not connected. */
  async listen(): Promise<void> {
    if (this.client) return;
    const client = new pg.Client({ ...connectionConfig(this.databaseUrl), keepAlive: true });
    const lost = (): void => {
      if (this.client === client) this.client = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', () => {
      this.ring();
    });
    await client.connect();
    await client.query(`listen ${DELIVERIES_CHANNEL}`);
    this.client = client;
  }

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Waits until it rings, `ms` at most. */
  async heard(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = (): void => {
      resolve(undefined);
    };
    this.wake = wake;
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake, { once: true });
    if (this.rung || signal.aborted) wake();
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    this.wake = undefined;
    this.rung = false;
  }

  async close(): Promise<void> {
    await this.client?.end().catch(() => undefined);
  }
}
