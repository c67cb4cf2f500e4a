import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin, call, makePartner, whenServed } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type Access, type GuardedStore, startGuardedStore } from '../support/guarded-store.js';
import { startService, type TestService } from '../support/service.js';
import { externalStores } from '../support/shared-stores.js';
import { startWithoutWaiting } from '../support/starting.js';
import { STORE_CERTIFICATE } from '../support/store-certificate.js';
import { until } from '../support/until.js';

const LOOKUPS = 200;
const USER = 'The event store rejects the user or the password in EVENT_STORE_URL. Correct them there, or';
const RIGHT = 'The event store does not let the user in EVENT_STORE_URL';

let store: EventStoreProcess;
let guard: GuardedStore;
let database: TestDatabase;
let service: TestService | undefined;
let folder: string;

beforeAll(async () => {
  [store, database] = await Promise.all([startEventStoreProcess(), createTestDatabase()]);
  folder = mkdtempSync(join(tmpdir(), 'rupa-tls-'));
  writeFileSync(join(folder, 'ca.crt'), STORE_CERTIFICATE.cert);
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await guard.close();
});
afterAll(async () => {
  await store.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

describe('the start on an event store with TLS and users', () => {
  const settings = (user: string, options: string): Record<string, string> =>
    externalStores(`esdb://${user}@localhost:${guard.port}?tls=true${options}`, database.url);

  it('succeeds with the file of the certificate authority and the right password', async () => {
    guard = await startGuardedStore(store.port, STORE_CERTIFICATE);
    service = await startService(settings(guard.user, `&tlsCAFile=${folder}/ca.crt`));
    const bank = await makePartner(service, { mode: 'sandbox' });
    const open = service;
    await whenServed(() => admin(open, 'PUT', '/farmers/rp-1', { mode: 'sandbox' }));
    expect((await whenServed(() => bank.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
    expect(guard.rejected).toBe(0);
  });

  it.each<[string, string, Access, RegExp]>([
    ['an untrusted certificate', 'rupa:right', 'granted', /^The TLS connection .* EVENT_STORE_URL fails: .*certificate.*tlsCAFile=.*/],
    ['a missing file', 'rupa:right&tlsCAFile=nowhere.crt', 'granted', /^EVENT_STORE_URL names the file nowhere.crt as tlsCAFile.*ENOENT/],
    ['a wrong password', 'rupa:hunter2&tlsCAFile=ca.crt', 'granted', new RegExp(`^${USER}`)],
    ['a missing right', 'rupa:right&tlsCAFile=ca.crt', 'denied', new RegExp(`^${RIGHT} read all events \\(\\$all\\)`)],
  ])('ends at once with a sentence about %s', async (_wrong, given, access, sentence) => {
    guard = await startGuardedStore(store.port, STORE_CERTIFICATE);
    guard.access = access;
    const [user = '', file] = given.split('&');
    const option = file === undefined ? '' : `&${file.replace('=ca', `=${folder}/ca`)}`;
    const starting = startWithoutWaiting(settings(user, option));
    expect(await starting.exited).toBe(1);
    expect(starting.output()).toMatch(sentence);
    expect(starting.output()).not.toContain('hunter2');
    expect(starting.output().trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('a running service that the event store rejects', () => {
  async function metric(name: string, own: TestService): Promise<string | undefined> {
    const port = /"port":(\d+),"msg":"metrics are served"/.exec(own.output())?.[1];
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')
      .at(-1);
  }

  it.each<[Access, string, string, number]>([
    // The service does not ask a store that rejects every call, but for now and then; a call that needs another right may be served.
    ['unauthenticated', 'user', USER, LOOKUPS / 10],
    ['denied', 'right', RIGHT, LOOKUPS],
  ])('says so in health, log and metric while it is %s, asks rarely, and recovers', async (access, reason, sentence, most) => {
    guard = await startGuardedStore(store.port, STORE_CERTIFICATE);
    const env = externalStores(`esdb://${guard.user}@localhost:${guard.port}?tls=true&tlsCAFile=${folder}/ca.crt`, database.url);
    const own = await startService({ ...env, METRICS_PORT: '0', LOG_LEVEL: 'info' });
    service = own;
    const bank = await makePartner(own, { mode: 'sandbox' });
    await whenServed(() => admin(own, 'PUT', '/farmers/rp-1', { mode: 'sandbox' }));
    const lookUp = async (): Promise<number> => (await bank.lookup('rp-1', { sections: ['identity'] })).status;
    await until(async () => (await lookUp()) === 200);
    const rejected = `rupa_event_store_rejected{reason="${reason}"}`;
    expect(await metric(rejected, own)).toBe('0');

    guard.access = access;
    const { body } = await until(async () => {
      const response = await call(own, 'GET', '/health/ready');
      return response.status === 503 && response;
    });
    expect(body.message).toContain(sentence);
    await until(() => own.output().includes(sentence));
    await until(async () => (await metric(rejected, own)) === '1' && (await metric('rupa_store_up{store="event_store"}', own)) === '0');
    const before = guard.rejected;
    const statuses = await Promise.all(Array.from({ length: LOOKUPS }, lookUp));
    expect(new Set(statuses)).toStrictEqual(new Set([503]));
    expect(guard.rejected - before).toBeLessThanOrEqual(most);

    guard.access = 'granted';
    await until(async () => (await call(own, 'GET', '/health/ready')).status === 200);
    await until(async () => (await lookUp()) === 200);
    await until(async () => (await metric(rejected, own)) === '0' && (await metric('rupa_store_up{store="event_store"}', own)) === '1');
  });
});
