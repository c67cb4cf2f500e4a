import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { admin, type ApiResponse, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

let store: EventStoreProcess;
let client: EventStoreDBClient;
let service: TestService;
let other: TestPartner;

beforeAll(async () => {
  store = await startEventStoreProcess();
  client = EventStoreDBClient.connectionString(store.connectionString);
  service = await startService({ EVENT_STORE_URL: store.connectionString });
  await whenServed(() => admin(service, 'PUT', '/farmers/rp-other', {}));
  other = await makePartner(service);
});
afterAll(async () => {
  await client.dispose();
  await service.stop();
  await store.close();
});

/** Appends what an operator's tool could, and returns its position once the service has set it aside. */
async function setAside(stream: string): Promise<string> {
  const { position } = await client.appendToStream(stream, jsonEvent({ type: 'OperatorNote', data: { a: 1 } }));
  const category = stream.slice(0, stream.indexOf('-'));
  await until(async () => (await reasons()).some((reason) => reason.includes(category)));
  return String(position?.commit);
}

async function reasons(): Promise<readonly string[]> {
  const { status, body } = await whenServed(() => call(service, 'GET', '/health/ready'));
  expect(status).toBe(200);
  return (body.data.reasons as string[] | undefined) ?? [];
}

/** Waits until each call is refused for this event. One that is refused because a store is slow for a moment is made again. */
async function expectRefused(category: string, position: string, ...calls: readonly (() => Promise<ApiResponse>)[]): Promise<void> {
  for (const each of calls) {
    const { body } = await until(async () => {
      const response = await each();
      expect(response.status).toBe(503);
      return response.body.message?.includes(position) && response;
    });
    expect(body).toMatchObject({ code: 'unavailable', message: expect.stringMatching(new RegExp(`${position}.*category ${category}`)) });
  }
}

const skip = (position: string) => rupa(service, ['events', 'skip', position, '--reason', 'a note of a tool']);

async function expectServed(...calls: readonly (() => Promise<ApiResponse>)[]): Promise<void> {
  for (const each of calls) await until(async () => (await each()).status === 200);
}

describe('an event that something else wrote, until an operator skips it', () => {
  it('stops only the calls about its wallet, is named by doctor, and is skipped with the chain unbroken', async () => {
    const partner = await makePartner(service);
    const path = `/partners/${partner.partner_id}/wallet`;
    const calls = [
      () => partner.lookup('rp-other'),
      () => partner.call('GET', '/me'),
      () => partner.call('GET', '/wallet/entries'),
      () => admin(service, 'GET', path),
      () => admin(service, 'POST', `${path}/credits`, { amount: 5, reference: 'refused until the event is skipped' }),
    ];
    const position = await setAside(`wallet-${partner.partner_id}`);
    await expectRefused('wallet', position, ...calls);
    await expectServed(() => other.lookup('rp-other'));
    const doctor = await rupa(service, ['doctor']);
    expect([doctor.code, doctor.out]).toStrictEqual([1, expect.stringContaining(`wallet-${partner.partner_id}`)]);
    expect(doctor.out).toContain(position);
    expect(await skip(position)).toMatchObject({ code: 0, out: expect.stringContaining('is skipped') });
    await expectServed(...calls);
    const verified = await rupa(service, ['wallet', 'verify', partner.partner_id]);
    expect([verified.code, verified.out]).toStrictEqual([0, expect.stringMatching(/skipped/)]);
    const exported = (await rupa(service, ['wallet', 'export', partner.partner_id, '-'])).out.trimEnd().split('\n');
    expect(exported.filter((line) => line.includes('"skipped":true'))).toStrictEqual([expect.stringContaining('OperatorNote')]);
    expect(await skip(position)).toMatchObject({ code: 1, err: expect.stringContaining('nothing to skip') });
  });

  it('stops only the lookups and reports of its farmer', async () => {
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-noted', {}));
    const calls = [
      () => other.lookup('rp-noted'),
      () => other.call('POST', '/report', { rupa_id: 'rp-noted', event: 'loan_disbursed', amount: 7, partner_reference: 'noted' }),
    ];
    const position = await setAside('farmer-rp-noted');
    const balance = async () => (await whenServed(() => other.call('GET', '/me'))).body.data.wallet_balance;
    const before = await balance();
    await expectRefused('farmer', position, ...calls);
    expect(await balance()).toBe(before);
    await expectServed(() => other.lookup('rp-other'));
    expect(await skip(position)).toMatchObject({ code: 0 });
    await expectServed(...calls);
  });

  it('stops all lookups in the price book, also after a restart, and nothing else', async () => {
    const position = await setAside('pricebook-main');
    const expectStopped = async (): Promise<void> => {
      await until(async () => (await other.lookup('rp-other')).status === 503);
      await expectRefused('pricebook', position, () => other.lookup('rp-other'));
      expect(await whenServed(() => other.call('GET', '/me'))).toMatchObject({ status: 200 });
      expect(await admin(service, 'PUT', '/price-book', { fees: {} })).not.toMatchObject({ status: 200 });
    };
    await expectStopped();
    await service.interrupt();
    await service.restart();
    await expectStopped();
    expect(await skip(position)).toMatchObject({ code: 0 });
    await expectServed(() => other.lookup('rp-other'));
    await service.interrupt();
    await service.restart();
    await expectServed(() => other.lookup('rp-other'));
    const { fees } = (await whenServed(() => admin(service, 'GET', '/price-book'))).body.data;
    const changed = { fees: { ...(fees as object), 'svc_fee.identity': 51 } };
    expect(await whenServed(() => admin(service, 'PUT', '/price-book', changed))).toMatchObject({ status: 200 });
    await until(async () => (await reasons()).length === 0);
  });

  it('cannot be skipped where nothing is set aside', async () => {
    for (const position of ['0', '123456789'])
      expect(await skip(position)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`No event at position ${position} is set aside`),
      });
    expect(await rupa(service, ['events', 'skip', 'x', '--reason', 'r'])).toMatchObject({ code: 2 });
    expect(await rupa(service, ['events', 'skip', '1'])).toMatchObject({ code: 2 });
  });
});
