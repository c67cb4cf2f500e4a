import { type Pool } from 'pg';
import pino from 'pino';
import { consentRosterProjection } from '../../projections/consent-roster/consent-roster.projection.js';
import { erasedFarmerProjection } from '../../projections/erased-farmer/erased-farmer.projection.js';
import { webhookEndpointProjection } from '../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { createTable } from '../../src/platform/projecting/read-model-table.js';
import { DeliveryQueue } from '../../src/contexts/webhooks/delivering/delivery-queue.js';
import { DeliverySender, type SenderDependencies } from '../../src/contexts/webhooks/delivering/delivery-sender.js';
import { DeliverySlots } from '../../src/contexts/webhooks/delivering/delivery-slots.js';
import { generateSigningSecret } from '../../src/contexts/webhooks/domain/signature.js';
import { Egress } from '../../src/contexts/webhooks/egress/post.js';
import { createMigratedDatabase, testPool } from './database.js';

export const SECRET = generateSigningSecret();

/** The tables that senders share, with the endpoints and consents of a test, but without an event log and a projector. */
export class DeliveryWorld {
  private readonly senders: (() => Promise<void>)[] = [];
  readonly disabled: { endpoint_id: number; reason: string }[] = [];
  /** How often disabling an endpoint fails from now on. */
  disablingFails = 0;

  private constructor(
    readonly pool: Pool,
    private readonly drop: () => Promise<void>,
  ) {}

  static async create(): Promise<DeliveryWorld> {
    const database = await createMigratedDatabase();
    const pool = testPool(database.url, 12);
    const client = await pool.connect();
    for (const projection of [consentRosterProjection, erasedFarmerProjection, webhookEndpointProjection])
      await createTable(client, projection, 'read');
    client.release();
    return new DeliveryWorld(pool, () => database.drop());
  }

  async endpoint(endpoint_id: number, url: string, over: { status?: string; events?: string[]; partner_id?: string } = {}): Promise<void> {
    const { status = 'enabled', events = ['*'], partner_id = 'p1' } = over;
    await this.pool.query(
      `insert into read.webhook_endpoint (endpoint_id, partner_id, mode, url, events, status, secret_id, replaced_secrets, registered_at, enabled_position)
       values ($1, $2, 'live', $3, $4, $5, 's', '[]', now(), 0) on conflict (endpoint_id) do update set status = excluded.status, events = excluded.events`,
      [endpoint_id, partner_id, url, JSON.stringify(events), status],
    );
  }

  async consent(rupa_id: string, partner_id = 'p1'): Promise<void> {
    await this.pool.query(
      `insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position)
       values ($1, $2, 'loan', now(), now(), 1, 0, 0, 0)`,
      [partner_id, rupa_id],
    );
  }

  /** Inserts this many deliveries for each of the endpoints, due now. */
  async deliveries(count: number, endpoints: readonly number[], rupa_id = 'rp-1', partner_id = 'p1'): Promise<void> {
    await this.pool.query(
      `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, rupa_id, event, contribution_id, occurred_at, recorded_at, sequence)
       select gen_random_uuid(), e, $3, 'farmer.loan_added', $4, 'loan_disbursed', n, now(), now(), n
       from generate_series(1, $1::int) n, unnest($2::bigint[]) e`,
      [count, endpoints, partner_id, rupa_id],
    );
  }

  async statuses(): Promise<Record<string, number>> {
    const { rows } = await this.pool.query<{ status: string; count: number }>(
      'select status, count(*) from ops.webhook_delivery group by status',
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** Starts a sender as a process of its own would run it; it works until `close`. A test may pass a `queue` or `secrets` that fail. */
  send(
    over: Partial<SenderDependencies['settings']> = {},
    queue = new DeliveryQueue(this.pool),
    secrets: SenderDependencies['secrets'] = (_endpoint, { current, replaced }) =>
      Promise.resolve([current, ...replaced].map(() => SECRET)),
  ): { readonly sender: DeliverySender; readonly stop: () => Promise<void> } {
    const settings = {
      allowPrivateNetworks: true,
      allowAnyPort: true,
      retryScheduleSeconds: [0, 0.05, 0.05],
      // A receiver on a busy machine must be able to respond. A test of the time limit sets its own.
      timeoutMs: 60_000,
      disableAfterSeconds: 3_600,
      retentionDays: 90,
      ...over,
    };
    // Posts to a live endpoint require https, but these receivers have no certificate.
    const egress = new Egress();
    const post: Egress['post'] = (request) => egress.post({ ...request, httpsOnly: false });
    const sender = new DeliverySender({
      queue,
      slots: new DeliverySlots(),
      egress: { post } as Egress,
      settings,
      logger: pino({ level: 'silent' }),
      doubtful: () => Promise.resolve({ forged: new Set(), postponed: new Set() }),
      secrets,
      disable: async ({ endpoint_id }, reason) => {
        if (this.disablingFails > 0) {
          this.disablingFails -= 1;
          throw new Error('The event store does not respond.');
        }
        this.disabled.push({ endpoint_id, reason });
        await this.endpoint(endpoint_id, '', { status: 'disabled' });
      },
    });
    const stopping = new AbortController();
    const isStopping = (): boolean => stopping.signal.aborted;
    const loop = (async () => {
      while (!isStopping()) {
        if ((await sender.start(() => undefined)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    const stop = async (): Promise<void> => {
      stopping.abort();
      await loop;
      await sender.stop(2_000);
      egress.destroy();
    };
    this.senders.push(stop);
    return { sender, stop };
  }

  async close(): Promise<void> {
    await Promise.all(this.senders.map((stop) => stop()));
    await this.pool.end();
    await this.drop();
  }
}
