import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Endpoint {
  readonly id: number;
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly failing_since: string | null;
  readonly pending: number;
  readonly exhausted: number;
}

interface Shown {
  readonly id: number;
  readonly status: string;
  readonly attempt: number;
}

describe('an operator', () => {
  let service: TestService;
  let partner: TestPartner;
  let receiver: Receiver;
  let id: number;
  let lookup: { lookup_id: string; request_id: string };

  beforeAll(async () => {
    service = await startApplication({
      WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,0.05',
      WEBHOOK_TIMEOUT_MS: '60000',
    });
    partner = await makePartner(service, { mode: 'sandbox' });
    receiver = await startReceiver(500);
    id = ((await partner.call('POST', '/webhooks', { url: receiver.url })).body.data as { id: number }).id;
    await admin(service, 'PUT', '/farmers/rp-1', { mode: 'sandbox' });
    const charged = await partner.lookup('rp-1', { sections: ['identity'] });
    lookup = {
      lookup_id: (charged.body.data.billing as { lookup_id: string }).lookup_id,
      request_id: charged.headers.get('x-request-id') ?? '',
    };
    await partner.call('POST', '/report', { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1 });
  });
  afterAll(async () => {
    await receiver.close();
    await service.stop();
  });

  const endpointsAt = async (path: string): Promise<Endpoint[]> => (await admin(service, 'GET', path)).body.data.endpoints as Endpoint[];
  const deliveries = async (): Promise<Shown[]> =>
    (await admin(service, 'GET', `/webhooks/${id}/deliveries`)).body.data.deliveries as Shown[];

  it('sees an endpoint that fails, and its deliveries', async () => {
    await until(async () => (await deliveries())[0]?.status === 'exhausted');
    const expected = [{ id, status: 'enabled', failing_since: expect.any(String), pending: 0, exhausted: 1 }];
    // The sender notes that the endpoint fails after the outcome of an attempt.
    const failing = await until(async () => {
      const found = await endpointsAt('/webhooks?failing=true');
      return found.length > 0 && found;
    });
    expect(failing).toMatchObject(expected);
    expect(await endpointsAt(`/partners/${partner.partner_id}/webhooks`)).toMatchObject(expected);
    expect(await endpointsAt('/webhooks?failing=false')).toStrictEqual([]);
  });

  it('disables an endpoint, which is notified of nothing, and enables it again', async () => {
    const disabled = { id, status: 'disabled', disabled_reason: 'operator' };
    for (let times = 0; times < 2; times += 1)
      expect((await admin(service, 'POST', `/webhooks/${id}/disable`)).body.data).toMatchObject(disabled);
    expect((await partner.call('GET', `/webhooks/${id}`)).body.data).toMatchObject(disabled);
    expect((await admin(service, 'POST', `/webhooks/${id}/recover`, { since: '2026-01-01' })).status).toBeGreaterThanOrEqual(409);
    expect((await admin(service, 'POST', `/webhooks/${id}/enable`)).body.data).toMatchObject({ status: 'enabled', disabled_reason: null });
  });

  it('recovers the events that an endpoint has missed, and sends a delivery again', async () => {
    receiver.response = 200;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await admin(service, 'POST', `/webhooks/${id}/recover`, { since })).toMatchObject({
      status: 202,
      body: { data: { queued: 1 } },
    });
    const [delivered] = await until(async () => {
      const found = await deliveries();
      return found[0]?.status === 'delivered' && found;
    });
    const resent = await admin(service, 'POST', `/webhooks/${id}/deliveries/${String(delivered?.id)}/resend`);
    expect([resent.status, (resent.body.data as unknown as Shown).id]).toStrictEqual([200, delivered?.id]);
    await until(async () => (await deliveries())[0]?.status === 'delivered');
    await until(async () => (await endpointsAt('/webhooks?failing=true')).length === 0);
  });

  it('gets a 404 for an endpoint, a delivery or a partner that does not exist', async () => {
    const calls = [
      ['POST', '/webhooks/99/enable', 'webhook_not_found'],
      ['POST', '/webhooks/99/disable', 'webhook_not_found'],
      ['GET', '/webhooks/99/deliveries', 'webhook_not_found'],
      ['POST', '/webhooks/99/deliveries/1/resend', 'webhook_not_found'],
      ['POST', `/webhooks/${id}/deliveries/999999/resend`, 'delivery_not_found'],
      ['GET', '/partners/nobody/webhooks', 'partner_not_found'],
      ['GET', '/lookups/nothing', 'lookup_not_found'],
    ] as const;
    for (const [method, path, code] of calls) {
      const { status, body } = await admin(service, method, path);
      expect([path, status, body]).toMatchObject([path, 404, { code }]);
    }
  });

  it('gets a lookup explained, by its id and by the request', async () => {
    const explained = (await admin(service, 'GET', `/lookups/${lookup.lookup_id}`)).body.data;
    expect(explained).toMatchObject({ lookup_id: lookup.lookup_id, rupa_id: 'rp-1', partner: { partner_id: partner.partner_id } });
    expect((await admin(service, 'GET', `/lookups?request_id=${lookup.request_id}`)).body.data.lookups).toMatchObject([
      { lookup_id: lookup.lookup_id, consent_granted: true },
    ]);
    expect((await admin(service, 'GET', '/lookups?request_id=none')).body.data.lookups).toStrictEqual([]);
    expect((await admin(service, 'GET', '/lookups')).status).toBe(422);
  });
});
