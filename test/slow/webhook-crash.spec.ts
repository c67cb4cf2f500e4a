import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findRunning } from '../../embedded/data-folder.js';
import { admin, makePartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

describe('a service that is killed during deliveries', () => {
  let service: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    service = await startService({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_TIMEOUT_MS: '60000' }, { repeats: true });
    receiver = await startReceiver(() => undefined);
  });
  afterAll(async () => {
    await receiver.close();
    await service.stop();
  });

  /** Runs a statement on the service's embedded database, and returns the rows. */
  async function query(statement: string, values: readonly string[] = []): Promise<readonly { holder: string }[]> {
    const client = new pg.Client({ connectionString: (await findRunning(service.dataDir))?.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ holder: string }>(statement, [...values]);
    await client.end();
    return rows;
  }

  it('delivers again with the same id, and loses no event', async () => {
    const bank = await makePartner(service, { mode: 'sandbox' });
    await admin(service, 'PUT', '/farmers/rp-1', { mode: 'sandbox' });
    await bank.lookup('rp-1', { sections: ['identity'] });
    const { id } = (await bank.call('POST', '/webhooks', { url: receiver.url })).body.data as { id: number };
    const reported = (event: string): Promise<unknown> => bank.call('POST', '/report', { rupa_id: 'rp-1', event });
    await reported('loan_disbursed');
    await until(() => receiver.received.length === 1);
    await reported('loan_repayment');
    const [killed] = await query('select holder from ops.webhook_delivery where leased_until > now()');
    await service.kill();
    receiver.response = 200;
    await service.restart();
    // The killed process's lease ends now, not after the time limit of its attempts.
    await query("update ops.webhook_delivery set leased_until = now() - interval '1 second' where holder = $1", [killed?.holder ?? '']);
    await until(
      async () =>
        ((await bank.call('GET', `/webhooks/${id}/deliveries`)).body.data.deliveries as { status: string }[]).filter(
          ({ status }) => status === 'delivered',
        ).length === 2,
    );
    const ids = receiver.received.map(({ json }) => json.id);
    expect(ids.filter((one) => one === ids[0]).length).toBeGreaterThanOrEqual(2);
    expect(new Set(ids).size).toBe(2);
  });
});
