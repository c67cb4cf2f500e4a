import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ERASED_TYPE } from '../../src/contexts/webhooks/domain/notification-types.js';
import { admin, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { type Application, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const MAX_STALENESS_SECONDS = 1;
const SENDER = {
  WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
  WEBHOOK_TIMEOUT_MS: '60000',
  MAX_STALENESS_SECONDS: String(MAX_STALENESS_SECONDS),
};

interface Delivery {
  readonly rupa_id: string | null;
  readonly status: string;
  readonly leased: boolean;
}

// Read models lag like these after a database was restored from a backup that is older than the log.
describe('a sender whose read models lack what was recorded long ago', () => {
  let stores: SharedStores;
  let api: TestService;
  let projector: TestService;
  let sender: TestService;
  let receiver: Receiver;
  let client: pg.Client;
  let partner: TestPartner;

  beforeAll(async () => {
    receiver = await startReceiver(500);
    stores = await startSharedStores();
    projector = await stores.start('projector');
    api = await stores.start('api', SENDER, { repeats: true });
    client = new pg.Client({ connectionString: stores.databaseUrl });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await stores.close();
    await receiver.close();
  });

  async function deliveries(): Promise<Map<string | null, Delivery>> {
    const { rows } = await client.query<Delivery>(
      'select rupa_id, status, leased_until is not null and holder is null as leased from ops.webhook_delivery where partner_id = $1',
      [partner.partner_id],
    );
    return new Map(rows.map((row) => [row.rupa_id, row]));
  }

  /** Makes every delivery that waits for its next attempt due. */
  async function makeDue(): Promise<void> {
    await client.query('update ops.webhook_delivery set next_attempt_at = now() where next_attempt_at is not null');
  }

  it('sends nothing about a farmer, and goes on by itself once they show it', async () => {
    partner = await makePartner(api, { mode: 'sandbox' });
    const [kept, released, erased] = ['kept', 'released', 'erased'].map((name) => `rp-${name}-${randomUUID()}`) as [string, string, string];
    for (const rupaId of [kept, released, erased]) {
      await admin(api, 'PUT', `/farmers/${rupaId}`, { mode: 'sandbox' });
      expect((await partner.lookup(rupaId, { sections: ['identity'] })).status).toBe(200);
    }
    sender = await stores.start('webhooks', { ...SENDER, WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,86400,86400' });
    expect((await partner.call('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
    for (const rupa_id of [kept, released, erased])
      expect((await partner.call('POST', '/report', { rupa_id, event: 'loan_disbursed' })).status).toBe(200);
    await until(() => receiver.received.length === 3);
    await until(async () => [...(await deliveries()).values()].every(({ status }) => status === 'failed'));
    await sender.stop();
    await projector.stop();

    // The release and the erasure are recorded, but no read model shows them.
    const { repeatsUnserved: _, repeatsChanges: __, ...once }: Application = api;
    const partnerOnce = partnerWith(once, partner.partner_id, partner.key);
    expect((await partnerOnce.call('DELETE', `/consents/${released}`)).status).toBe(503);
    expect((await admin(once, 'DELETE', `/farmers/${erased}`)).status).toBe(503);
    const recordedMs = Date.now();
    await until(() => Date.now() - recordedMs > MAX_STALENESS_SECONDS * 1_000);
    receiver.response = 200;
    await makeDue();
    sender = await stores.start('webhooks', SENDER);
    await until(async () => [...(await deliveries()).values()].every(({ status, leased }) => leased || status === 'delivered'));
    expect(receiver.received).toHaveLength(3);
    expect([...(await deliveries()).values()].map(({ status }) => status)).toStrictEqual(['failed', 'failed', 'failed']);

    projector = await stores.start('projector');
    await until(async () => [...(await deliveries()).values()].every(({ status }) => ['delivered', 'cancelled'].includes(status)));
    const after = await deliveries();
    expect([kept, released].map((rupaId) => after.get(rupaId)?.status)).toStrictEqual(['delivered', 'cancelled']);
    const told = receiver.received.slice(3).map(({ json }) => [json.data.rupa_id, json.type]);
    expect(told.filter(([rupaId, type]) => rupaId !== kept && type !== ERASED_TYPE)).toStrictEqual([]);
  });
});
