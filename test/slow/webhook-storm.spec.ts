import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const ENDPOINTS = 20;
const REPORTS = 200;
const FARMER = 'rp-1';

/** Does the work `count` times, eight at a time. */
async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

describe.each([1, 50])('a service that notifies %i partners whose endpoints never respond', (partners) => {
  let service: TestService;
  const receivers: Receiver[] = [];

  beforeEach(async () => {
    service = await startService({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_TIMEOUT_MS: '60000' }, { repeats: true });
    await admin(service, 'PUT', `/farmers/${FARMER}`, { mode: 'sandbox' });
  });
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
    await service.stop();
  });

  const receive = async (response: Receiver['response']): Promise<Receiver> => {
    const receiver = await startReceiver(response);
    receivers.push(receiver);
    return receiver;
  };
  const notified = async (url: string, endpoints: number): Promise<TestPartner> => {
    const partner = await makePartner(service, { mode: 'sandbox' });
    await partner.lookup(FARMER, { sections: ['identity'] });
    for (let n = 0; n < endpoints; n += 1) expect((await partner.call('POST', '/webhooks', { url })).status).toBe(201);
    return partner;
  };

  it('delivers to another partner while attempts to these hang', async () => {
    const [hanging, quick] = [await receive(() => undefined), await receive(200)];
    await times(partners, () => notified(hanging.url, ENDPOINTS));
    const reporter = await notified(quick.url, 1);
    const report = { rupa_id: FARMER, event: 'loan_disbursed' };
    await times(REPORTS, () => reporter.call('POST', '/report', report));
    await until(() => quick.received.length === REPORTS);
    // Each of these endpoints gets one attempt at a time, which lasts a minute. A tenth of its deliveries takes longer than a test may.
    expect(hanging.received.length).toBeGreaterThan(0);
    expect(hanging.received.length).toBeLessThan((partners * ENDPOINTS * REPORTS) / 10);
  });
});
