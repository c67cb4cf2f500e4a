import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, balanceOf, call, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

let store: EventStoreProcess;
let service: TestService;
let client: EventStoreDBClient;
let other: TestPartner;

beforeAll(async () => {
  store = await startEventStoreProcess();
  service = await startApplication({ EVENT_STORE_URL: store.connectionString }, { repeats: true });
  client = EventStoreDBClient.connectionString(store.connectionString);
  for (const farmer of ['rp-hidden-1', 'rp-hidden-2', 'rp-shown']) await admin(service, 'PUT', `/farmers/${farmer}`, {});
  other = await makePartner(service);
});
afterAll(async () => {
  await client.dispose();
  await service.stop();
  await store.close();
});

const MISSING = { status: 503, body: { code: 'history_missing' } };
const EVERYTHING = { truncateBefore: 0 };
/** The changes of a stream that an operator, or the store's own web page, can make. */
const HIDING: Readonly<Record<string, (stream: string) => Promise<unknown>>> = {
  'was deleted': (stream) => client.deleteStream(stream),
  'is truncated before its last event': async (stream) =>
    client.setStreamMetadata(stream, { truncateBefore: (await eventsOf(stream)) - 1 }),
  'is truncated behind its last event': async (stream) => client.setStreamMetadata(stream, { truncateBefore: await eventsOf(stream) }),
  'keeps one event': (stream) => client.setStreamMetadata(stream, { maxCount: 1 }),
  'keeps its events for a second': async (stream) => {
    await client.setStreamMetadata(stream, { maxAge: 1 });
    await until(async () => (await firstShownIn(stream)) !== 0n);
  },
};

async function firstShownIn(stream: string): Promise<bigint | undefined> {
  const shown: (bigint | undefined)[] = [];
  for await (const { event } of client.readStream(stream, { maxCount: 1 })) shown.push(event?.revision);
  return shown[0];
}

/** Returns the types of a stream's events in $all, which hides none. */
async function typesIn(stream: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { event } of client.readAll()) if (event?.streamId === stream) types.push(event.type);
  return types;
}

const eventsOf = async (stream: string): Promise<number> => (await typesIn(stream)).length;

/** Makes all events of a stream readable again. A deleted stream needs it twice: the store changes the first metadata after a deletion. */
async function restore(stream: string): Promise<void> {
  await client.setStreamMetadata(stream, EVERYTHING);
  await client.setStreamMetadata(stream, EVERYTHING);
}

/** Waits until the service has noticed, so that wallets whose state it keeps are refused as well. */
async function noticed(category: string): Promise<void> {
  await until(
    async () => ((await health()).body.data.reasons as string[] | undefined)?.some((reason) => reason.includes(category)) === true,
  );
}

const health = (): Promise<ApiResponse> => call(service, 'GET', '/health/ready');

describe('a service with a stream of which events are hidden', () => {
  it.each(Object.entries(HIDING))(
    'neither charges, credits nor shows a wallet that %s, and goes on with the others',
    async (_how, hide) => {
      const partner = await makePartner(service);
      const wallet = `wallet-${partner.partner_id}`;
      expect((await partner.lookup('rp-shown')).status).toBe(200);
      // The settlement follows by itself, and nothing follows it.
      await until(async () => (await typesIn(wallet)).includes('ChargesSettled'));
      const before = [await balanceOf(service, partner), await eventsOf(wallet)];
      await hide(wallet);
      await noticed('wallet');
      const path = `/partners/${partner.partner_id}/wallet`;
      const calls = [
        () => partner.lookup('rp-shown'),
        () => partner.call('GET', '/me'),
        () => partner.call('GET', '/wallet/head'),
        () => partner.call('GET', '/wallet/entries'),
        () => partner.call('GET', '/lookups'),
        () => admin(service, 'GET', path),
        () => admin(service, 'GET', `${path}/verification`),
        () => admin(service, 'POST', `${path}/credits`, { amount: 5_000, reference: randomUUID() }),
      ];
      for (const each of calls) expect(await each()).toMatchObject(MISSING);
      expect((await other.lookup('rp-shown')).status).toBe(200);
      expect(await health()).toMatchObject({ status: 200, body: { data: { status: 'degraded' } } });
      await restore(wallet);
      await until(async () => (await partner.call('GET', '/me')).status === 200);
      expect([await balanceOf(service, partner), await eventsOf(wallet)]).toStrictEqual(before);
      expect((await partner.lookup('rp-shown')).status).toBe(200);
    },
  );

  it('publishes no price over hidden ones, and keeps the prices in force', async () => {
    await admin(service, 'PUT', '/price-book', { fees: { 'svc_fee.identity': 51 } });
    const { fees } = (await admin(service, 'GET', '/price-book')).body.data as { fees: Record<string, number> };
    const publish = (identity: number) => admin(service, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.identity': identity } });
    for (const identity of [60, 70]) expect((await publish(identity)).status).toBe(200);
    const events = await eventsOf('pricebook-main');
    for (const hide of Object.values(HIDING)) {
      await hide('pricebook-main');
      expect(await publish(90)).toMatchObject(MISSING);
      expect((await other.lookup('rp-shown')).status).toBe(200);
      await restore('pricebook-main');
    }
    expect(await eventsOf('pricebook-main')).toBe(events);
    expect((await admin(service, 'GET', '/price-book')).body.data.fees).toMatchObject({ 'svc_fee.identity': 70 });
    expect((await publish(60)).status).toBe(200);
  });

  it('creates no contribution again under its reference, and registers no farmer again', async () => {
    const report = (more: object = {}) =>
      other.call('POST', '/report', {
        rupa_id: 'rp-hidden-1',
        event: 'loan_disbursed',
        amount: 100,
        currency: 'NGN',
        occurred_at: '2026-01-01',
        partner_reference: 'hidden-1',
        ...more,
      });
    const { contribution_id } = (await report()).body.data as { contribution_id: number };
    const streams = new Set<string>();
    for await (const { event } of client.readAll()) if (event?.streamId.startsWith('contribution-')) streams.add(event.streamId);
    for (const stream of [...streams, 'farmer-rp-hidden-1']) await client.deleteStream(stream);
    expect(await report({ amount: 200 })).toMatchObject(MISSING);
    expect(await admin(service, 'PUT', '/farmers/rp-hidden-1', { phone_verified: true })).toMatchObject(MISSING);
    expect((await other.lookup('rp-hidden-1')).status).toBe(200);
    for (const stream of [...streams, 'farmer-rp-hidden-1']) await restore(stream);
    expect((await report({ amount: 200 })).body.data).toMatchObject({ contribution_id, created: false });
    expect((await admin(service, 'PUT', '/farmers/rp-hidden-1', { phone_verified: true })).body.data).toMatchObject({ created: false });
  });

  it('deactivates a key and erases a farmer all the same', async () => {
    const { key_id } = (await admin(service, 'POST', `/partners/${other.partner_id}/api-keys`, {})).body.data as { key_id: string };
    await client.deleteStream(`apikey-${key_id}`);
    expect(await admin(service, 'DELETE', `/api-keys/${key_id}`)).toMatchObject({ status: 200 });
    expect(await admin(service, 'DELETE', `/api-keys/${key_id}`)).toMatchObject({ status: 200 });
    await restore(`apikey-${key_id}`);
    expect(await eventsOf(`apikey-${key_id}`)).toBe(2);
    await client.deleteStream('farmer-rp-hidden-2');
    expect(await admin(service, 'DELETE', '/farmers/rp-hidden-2')).toMatchObject({ status: 200, body: { data: { erased: true } } });
    expect(await admin(service, 'DELETE', '/farmers/rp-hidden-2')).toMatchObject({ status: 200 });
    expect((await other.lookup('rp-hidden-2')).status).toBe(404);
    await restore('farmer-rp-hidden-2');
    expect(await eventsOf('farmer-rp-hidden-2')).toBe(2);
    expect(await admin(service, 'PUT', '/farmers/rp-hidden-2', {})).toMatchObject({ status: 409 });
  });

  it('deactivates a key and erases a farmer whose stream was ended for good, and records it in a stream that continues it', async () => {
    const issued = await admin(service, 'POST', `/partners/${other.partner_id}/api-keys`, {});
    const { key_id, api_key } = issued.body.data as { key_id: string; api_key: string };
    await admin(service, 'PUT', '/farmers/rp-ended', {});
    expect((await other.lookup('rp-ended')).status).toBe(200);
    const [keyStream, farmerStream] = [`apikey-${key_id}`, 'farmer-rp-ended'];
    for (const stream of [keyStream, farmerStream]) await client.tombstoneStream(stream);
    for (let time = 1; time <= 2; time += 1) {
      expect(await admin(service, 'DELETE', `/api-keys/${key_id}`)).toMatchObject({ status: 200 });
      expect(await admin(service, 'DELETE', '/farmers/rp-ended')).toMatchObject({ status: 200, body: { data: { erased: true } } });
    }
    expect((await other.lookup('rp-ended')).status).toBe(404);
    expect((await partnerWith(service, other.partner_id, api_key).call('GET', '/me')).status).toBe(401);
    for (const stream of [keyStream, farmerStream]) expect(await eventsOf(`ended_${stream}`)).toBe(1);
    expect(await admin(service, 'PUT', '/farmers/rp-ended', {})).toMatchObject(MISSING);
  });

  it('starts, and answers for the others, when prices, ids and a wallet are hidden and a wallet was ended for good', async () => {
    const [deleted, ended] = [await makePartner(service), await makePartner(service)];
    const hidden = ['pricebook-main', 'ids-main', `wallet-${deleted.partner_id}`];
    for (const stream of hidden) await client.deleteStream(stream);
    await client.tombstoneStream(`wallet-${ended.partner_id}`);
    await service.interrupt();
    await service.restart();
    for (const partner of [deleted, ended]) {
      expect(await partner.lookup('rp-shown')).toMatchObject(MISSING);
      expect(await partner.call('GET', '/me')).toMatchObject(MISSING);
    }
    expect((await other.lookup('rp-shown')).status).toBe(200);
    await until(async () => (await other.call('GET', '/me')).status === 200);
    const report = { rupa_id: 'rp-shown', event: 'loan_disbursed', amount: 1, currency: 'NGN', occurred_at: '2026-01-01' };
    expect(await other.call('POST', '/report', report)).toMatchObject(MISSING);
    await noticed('ids');
    for (const stream of hidden) await restore(stream);
    expect((await other.call('POST', '/report', report)).status).toBe(200);
    expect((await deleted.lookup('rp-shown')).status).toBe(200);
  });
});
