import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { admin, type ApiResponse, call, makePartner, type TestPartner } from '../support/client.js';
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
  await admin(service, 'PUT', '/farmers/rp-other', {});
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
  const { status, body } = await call(service, 'GET', '/health/ready');
  expect(status).toBe(200);
  return (body.data.reasons as string[] | undefined) ?? [];
}

const refused = (category: string, position: string) => ({
  status: 503,
  body: { code: 'unavailable', message: expect.stringMatching(new RegExp(`${position}.*category ${category}`)) },
});

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
    for (const each of calls) expect(await each()).toMatchObject(refused('wallet', position));
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
    await admin(service, 'PUT', '/farmers/rp-noted', {});
    const calls = [
      () => other.lookup('rp-noted'),
      () => other.call('POST', '/report', { rupa_id: 'rp-noted', event: 'loan_disbursed', amount: 7, partner_reference: 'noted' }),
    ];
    const position = await setAside('farmer-rp-noted');
    const before = (await other.call('GET', '/me')).body.data.wallet_balance;
    for (const each of calls) expect(await each()).toMatchObject(refused('farmer', position));
    expect((await other.call('GET', '/me')).body.data.wallet_balance).toBe(before);
    await expectServed(() => other.lookup('rp-other'));
    expect(await skip(position)).toMatchObject({ code: 0 });
    await expectServed(...calls);
  });

  it('stops all lookups in the price book, also after a restart, and nothing else', async () => {
    const position = await setAside('pricebook-main');
    const expectStopped = async (): Promise<void> => {
      await until(async () => (await other.lookup('rp-other')).status === 503);
      expect(await other.lookup('rp-other')).toMatchObject(refused('pricebook', position));
      expect(await other.call('GET', '/me')).toMatchObject({ status: 200 });
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
    const { fees } = (await admin(service, 'GET', '/price-book')).body.data;
    expect(await admin(service, 'PUT', '/price-book', { fees: { ...(fees as object), 'svc_fee.identity': 51 } })).toMatchObject({
      status: 200,
    });
    expect(await reasons()).toStrictEqual([]);
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
