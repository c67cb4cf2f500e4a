import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import pg from 'pg';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { admin, balanceOf, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type ProcessResult, rupa, startRupa } from '../support/rupa.js';
import { startService, temporaryDataDir, type TestService } from '../support/service.js';
import { SECRETS } from '../support/shared-stores.js';
import { until } from '../support/until.js';
import { openPatiently } from '../support/patient-log.js';

const CLI = resolve('dist/src/cli.js');
const FARMERS = 400;
const SYSTEM_EVENTS = 3;

/** Moves a service from one event store to another, step by step. */
describe('rupa events copy', () => {
  const folder = temporaryDataDir();
  let [one, other]: EventStoreProcess[] = [];
  let database: TestDatabase;
  let db: pg.Client;
  let service: TestService;
  let receiver: Receiver;
  let bank: TestPartner;
  let insurer: TestPartner;
  let noted: string;
  let [first, second] = [0, 0];

  const settings = (store: EventStoreProcess | undefined): Record<string, string> => ({
    DATA_DIR: folder.dataDir,
    EVENT_STORE_URL: store?.connectionString ?? '',
    DATABASE_URL: database.url,
    ...SECRETS,
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
    WEBHOOK_TIMEOUT_MS: '60000',
  });
  const on = async (store: EventStoreProcess | undefined, ...args: string[]): Promise<ProcessResult> =>
    await rupa(folder.dataDir, args, '', settings(store));
  const logOf = async (store: EventStoreProcess | undefined): Promise<StoredEvent[]> => {
    const eventStore = openPatiently(store?.connectionString ?? '');
    const events: StoredEvent[] = [];
    for await (const page of logPages(eventStore)) events.push(...page);
    await eventStore.close();
    return events;
  };
  const copy = async (...more: string[]): Promise<ProcessResult> =>
    await on(one, 'events', 'copy', '--to', other?.connectionString ?? '', ...more);
  const report = async (partner: TestPartner, rupa_id: string): Promise<number> => {
    const { status, body } = await partner.call('POST', '/report', {
      rupa_id,
      event: 'loan_disbursed',
      amount: 12_345,
      occurred_at: '2026-03-01',
    });
    expect(status).toBe(200);
    return body.data.contribution_id as number;
  };

  /** Returns the error of a start that must not succeed. */
  const startError = async (env: Record<string, string>): Promise<string> => {
    const started = await startService(env).catch((error: unknown) => String(error));
    if (typeof started === 'string') return started;
    await started.stop();
    return 'It started.';
  };

  beforeAll(async () => {
    [one, other, database, receiver] = await Promise.all([
      startEventStoreProcess(),
      startEventStoreProcess(),
      createTestDatabase(),
      startReceiver(),
    ]);
    db = new pg.Client(database.url);
    await db.connect();
    service = await startService(settings(one), { repeats: true });
    bank = await makePartner(service, { mode: 'sandbox' });
    insurer = await makePartner(service, { mode: 'sandbox', account_type: 'insurer' });
    await Promise.all(
      Array.from({ length: FARMERS }, (_, n) =>
        admin(service, 'PUT', `/farmers/rp-${n}`, { mode: 'sandbox', identity: { first_name: `Name ${n}` } }),
      ),
    );
    for (let n = 0; n < 10; n += 1) await bank.lookup(`rp-${n}`, { sections: ['identity'] });
    await insurer.lookup('rp-1', { sections: ['identity'] });
    expect((await bank.call('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
    await admin(service, 'DELETE', '/farmers/rp-9');
    first = await report(bank, 'rp-1');
    await until(() => receiver.received.length === 1);
  });
  afterAll(async () => {
    await db.end();
    await service.stop();
    await receiver.close();
    for (const store of [one, other]) await store?.close();
    await database.drop();
    await folder.release();
  });

  it('copies next to a running service, which appends more events in the meantime', async () => {
    expect((await copy()).code).toBe(0);
    expect((JSON.parse((await copy('--verify', '--json')).out) as { events: number }).events).toBeGreaterThan(FARMERS);
  });

  /** Replaces the target by an empty one. Its system events shift all positions, as positions differ between any two servers. */
  async function renewTarget(): Promise<EventStoreProcess> {
    await other?.close();
    const renewed = await startEventStoreProcess();
    other = renewed;
    const client = EventStoreDBClient.connectionString(renewed.connectionString);
    for (let n = 0; n < SYSTEM_EVENTS; n += 1) await client.appendToStream('$shift', jsonEvent({ type: '$shifted', data: { n } }));
    await client.dispose();
    return renewed;
  }

  /** Kills a copy midway, on new targets until one had not ended before, and returns how many events it has copied. */
  async function killedMidway(): Promise<number> {
    for (;;) {
      const { connectionString } = await renewTarget();
      const copied = openPatiently(connectionString);
      const copying = spawn(process.execPath, [CLI, 'events', 'copy', '--to', connectionString], {
        env: { ...process.env, ...settings(one) },
        stdio: 'ignore',
      });
      const exited = once(copying, 'exit');
      try {
        await until(async () => copying.exitCode !== null || (await copied.countAfter(undefined, 100)) > 50);
      } finally {
        copying.kill('SIGKILL');
      }
      await exited;
      const events = await copied.countAfter(undefined, 10_000);
      await copied.close();
      if (copying.signalCode === 'SIGKILL' && (await copy('--verify')).code === 1) return events;
    }
  }

  it('resumes after it was killed', async () => {
    // This notification fails before the move, so that it is retried once after the move.
    receiver.response = 503;
    second = await report(bank, 'rp-2');
    await until(() => receiver.received.length === 2);
    receiver.response = 200;
    noted = JSON.stringify(JSON.parse((await on(one, 'wallet', 'verify', bank.partner_id, '--json')).out));
    await service.interrupt();
    const before = await killedMidway();
    const { code, out } = await copy('--json');
    const result = JSON.parse(out) as { copied: number; events: number; wallets: Record<string, string> };
    expect([code, result.copied]).toStrictEqual([0, result.events - before]);
    expect(Object.keys(result.wallets).sort()).toStrictEqual([`wallet-${bank.partner_id}`, `wallet-${insurer.partner_id}`].sort());
    expect((await copy('--json')).out).toMatch(/^\{"copied":0,/);
    expect((await copy('--verify')).out).toMatch(
      /events in \d+ streams are the same in both.*\nthe last hash of each of 2 wallets is the same\n$/,
    );
  });

  it('keeps every event, at other positions', async () => {
    const [before, after] = [await logOf(one), await logOf(other)];
    expect(after.map((event) => ({ ...event, position: 0 }))).toStrictEqual(before.map((event) => ({ ...event, position: 0 })));
    expect(after).not.toStrictEqual(before);
  });

  it('leaves the service refusing the copy until the switch, with an explanation', async () => {
    for (const ROLES of ['api', 'api,projector,webhooks']) {
      expect(await startError({ ...settings(other), ROLES })).toMatch(
        /do not belong together.*rupa events copy --from <the other one> --to <this one> --switch/,
      );
    }
  });

  it('switches once, after which the former store is refused', async () => {
    service = await startService(settings(one), { repeats: true });
    expect((await on(one, 'maintenance', 'on', '--reason', 'We move to another event store.')).code).toBe(0);
    const { printed, ended } = startRupa(
      folder.dataDir,
      ['events', 'copy', '--to', other?.connectionString ?? '', '--switch'],
      settings(one),
    );
    await until(() => printed().includes('Stop every process of the service now'));
    // Until then partners are told why they cannot change anything, and read.
    bank = partnerWith(service, bank.partner_id, bank.key);
    expect(await bank.lookup('rp-3')).toMatchObject({ status: 503, body: { code: 'maintenance' } });
    expect((await bank.call('GET', '/me')).status).toBe(200);
    await service.interrupt();
    expect(await ended).toMatchObject({
      code: 0,
      out: expect.stringMatching(/the database now belongs to the copy: set EVENT_STORE_URL to it/),
    });
    expect((await copy('--switch')).out).toMatch(/already belonged to the copy/);
    expect((await copy('--verify')).code).toBe(0);
    const [former, moved] = [await logOf(one), await logOf(other)];
    expect(moved.slice(0, -1).map(({ id }) => id)).toStrictEqual(former.map(({ id }) => id));
    expect(moved.at(-1)).toMatchObject({ stream: 'log-main', type: 'LogMoved', data: { events: former.length, actor: 'service' } });
    expect(await startError(settings(one))).toMatch(/do not belong together/);
  });

  it('lets the service continue with lookups, wallets, new report ids and every notification once', async () => {
    service = await startService(settings(other), { repeats: true });
    expect(await on(other, 'projections', 'verify', '--all')).toMatchObject({ code: 0 });
    // Maintenance was copied with the log.
    expect((await partnerWith(service, bank.partner_id, bank.key).lookup('rp-3')).status).toBe(503);
    expect((await on(other, 'maintenance', 'off')).code).toBe(0);
    [bank, insurer] = [partnerWith(service, bank.partner_id, bank.key), partnerWith(service, insurer.partner_id, insurer.key)];
    const balance = await balanceOf(service, bank);
    expect((await bank.lookup('rp-3', { sections: ['identity'] })).body.data).toMatchObject({ identity: { first_name: 'Name 3' } });
    expect(await balanceOf(service, bank)).toBe(balance - 50);
    expect((await bank.lookup('rp-9')).status).toBe(404);
    expect(await report(bank, 'rp-1')).toBeGreaterThan(second);
    await until(async () => (await db.query("select from ops.webhook_delivery where status = 'delivered'")).rowCount === 3);
    expect((await db.query('select from ops.webhook_delivery')).rowCount).toBe(3);
    const notified = receiver.received.map(({ json: { id, data } }) => ({
      id,
      contribution_id: data.contribution_id,
      sequence: data.sequence as number,
    }));
    const [newest] = notified.filter(({ contribution_id }) => contribution_id !== first && contribution_id !== second);
    // The second notification got a 503 before the move, and was retried after it.
    expect(
      [first, second, newest?.contribution_id].map((id) => notified.filter(({ contribution_id }) => contribution_id === id).length),
    ).toStrictEqual([1, 2, 1]);
    expect(newest?.sequence).toBeGreaterThan(Math.max(...notified.filter(({ id }) => id !== newest?.id).map(({ sequence }) => sequence)));
  });

  it('keeps wallets verifiable with an earlier head, and read models equal to the log', async () => {
    const { head } = JSON.parse(noted) as { head: { revision: number; hash: string } };
    expect(await on(other, 'wallet', 'verify', bank.partner_id, '--since', `${head.revision}:${head.hash}`)).toMatchObject({ code: 0 });
    expect(await on(other, 'projections', 'verify', '--all')).toMatchObject({ code: 0 });
  });

  it('refuses a target that holds other events', async () => {
    const { code, err } = await copy();
    expect([code, err]).toStrictEqual([1, expect.stringMatching(/^The target holds more events than the source: /)]);
    expect((await on(other, 'events', 'copy', '--to', other?.connectionString ?? '')).err).toMatch(
      /^--to names the event store that is the source/,
    );
    expect((await on(one, 'events', 'copy', '--to', 'http://elsewhere')).code).toBe(2);
  });
});
