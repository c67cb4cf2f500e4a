import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditedAsCommands } from '../support/audit-programs.js';
import { backUp, restore } from '../support/backup.js';
import { admin, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type ProcessResult, rupa } from '../support/rupa.js';
import { startService, temporaryDataDir, type TestService } from '../support/service.js';
import { SECRETS } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const IDENTITY = { sections: ['identity'] };

/** Follows docs/operations.md: copies the operational tables, then the log, then the key store; then the machine is lost. */
describe('a restore to a new machine', () => {
  const folder = temporaryDataDir();
  const copied = mkdtempSync(join(tmpdir(), 'rupa-backup-'));
  const stores: EventStoreProcess[] = [];
  const databases: TestDatabase[] = [];
  let service: TestService;
  let receiver: Receiver;
  let bank: TestPartner;
  let endpoint: number;
  /** The last note of the log before it lost events. */
  let former: string;
  let sent: { id: string; sequence: number; rupaId: string }[];

  const settings = (): Record<string, string> => ({
    DATA_DIR: folder.dataDir,
    EVENT_STORE_URL: stores.at(-1)?.connectionString ?? '',
    DATABASE_URL: databases.at(-1)?.url ?? '',
    ...SECRETS,
    WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
  });
  const command = async (...args: string[]): Promise<ProcessResult> => await rupa(folder.dataDir, args, '', settings());
  const farmer = async (id: string): Promise<void> => {
    expect(
      (await admin(service, 'PUT', `/farmers/${id}`, { mode: 'sandbox', identity: { first_name: `Name ${id}` } })).status,
    ).toBeLessThan(300);
  };
  /** Reports on a farmer whose consent the partner holds, and waits for the notification. */
  const report = async (rupa_id: string): Promise<void> => {
    const before = receiver.received.length;
    expect(
      (await bank.call('POST', '/report', { rupa_id, event: 'loan_disbursed', amount: 12_345, occurred_at: '2026-03-01' })).status,
    ).toBe(200);
    await until(() => receiver.received.length > before && deliveries().some(({ rupaId }) => rupaId === rupa_id));
    await recorded(deliveries().findLast(({ rupaId }) => rupaId === rupa_id)?.id);
  };
  /** Waits until the sender has recorded a delivery. A delivery that was received but not recorded is sent again after the next start. */
  const recorded = async (eventId: string | undefined): Promise<void> => {
    await until(async () => {
      const { body } = await bank.call('GET', `/webhooks/${endpoint}/deliveries`);
      const listed = body.data.deliveries as { event_id: string; status: string }[];
      return listed.some(({ event_id, status }) => event_id === eventId && status === 'delivered');
    });
  };
  const deliveries = (): typeof sent =>
    receiver.received.map(({ json: { id, data } }) => ({ id, sequence: data.sequence as number, rupaId: data.rupa_id as string }));
  const start = async (): Promise<void> => {
    service = await startService(settings(), { repeats: true });
    bank = partnerWith(service, bank.partner_id, bank.key);
  };
  const checkpoint = async (): Promise<string> => {
    const { status, body } = await admin(service, 'POST', '/checkpoints');
    expect(status).toBe(201);
    return body.data.note as string;
  };
  const verified = async (): Promise<void> => {
    expect((await command('wallet', 'verify')).code).toBe(0);
    expect(await command('projections', 'verify', '--all')).toMatchObject({ code: 0 });
  };

  /** Steps 3 to 7 of the page: partners read, and nobody writes, until the result has been checked. */
  const startInMaintenance = async (): Promise<void> => {
    await start();
    expect(await bank.lookup('rp-between', IDENTITY)).toMatchObject({ status: 503, body: { code: 'maintenance' } });
    expect(await bank.call('GET', '/me')).toMatchObject({ status: 200 });
    await verified();
    expect(await command('maintenance', 'off')).toMatchObject({ code: 0 });
  };
  const maintenance = async (): Promise<void> => {
    expect(await command('maintenance', 'on', '--reason', 'We restore a backup.')).toMatchObject({ code: 0 });
  };

  beforeAll(async () => {
    stores.push(await startEventStoreProcess());
    databases.push(await createTestDatabase());
    receiver = await startReceiver();
    service = await startService(settings(), { repeats: true });
    bank = await makePartner(service, { mode: 'sandbox' });
    const registered = await bank.call('POST', '/webhooks', { url: receiver.url });
    expect(registered.status).toBe(201);
    endpoint = registered.body.data.id as number;
    for (const id of ['rp-1', 'rp-2', 'rp-3']) await farmer(id);
    expect((await admin(service, 'DELETE', '/farmers/rp-3')).status).toBeLessThan(300);
    for (const id of ['rp-1', 'rp-2']) expect((await bank.lookup(id, IDENTITY)).status).toBe(200);
    await report('rp-1');
    // A charge that is open in the copied log is refunded two minutes later, which takes the consent back.
    await until(async () => /\b0 open charges\b/.test((await command('wallet', 'verify')).out));
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
    for (const store of stores) await store.close();
    for (const database of databases) await database.drop();
    rmSync(copied, { recursive: true });
    await folder.release();
  });

  it('starts from three copies that were made while the service ran', async () => {
    const url = databases.at(-1)?.url ?? '';
    const operations = await backUp(url, 'ops');
    await farmer('rp-between');
    await report('rp-2');
    await stores.at(-1)?.copyTo(copied);
    await until(async () => (await bank.lookup('rp-between', IDENTITY)).status === 200);
    await farmer('rp-lost');
    const keys = await backUp(url, 'key_store');
    await service.kill();
    sent = deliveries();
    databases.push(await createTestDatabase());
    stores.push(await startEventStoreProcess([], copied));
    await restore(settings().DATABASE_URL ?? '', operations, keys);
  });

  it('is examined and checked in maintenance, before anybody writes', async () => {
    await maintenance();
    // A busy machine may keep a store from answering within the limit of a check.
    const { out } = await until(async () => {
      const examined = await command('doctor', '--json');
      return examined.code === 0 && examined;
    });
    expect(out).toMatch(/tables are missing, as after a restore/);
    await startInMaintenance();
  });

  it('serves everything that the log held, and nothing that was erased', async () => {
    // The restored checkpoints are older than the log, so the projector catches up while the API serves.
    await until(async () => (await bank.lookup('rp-between', IDENTITY)).status === 200);
    expect((await bank.lookup('rp-between', IDENTITY)).body).toMatchObject({ data: { identity: { first_name: 'Name rp-between' } } });
    expect((await bank.lookup('rp-3')).status).toBe(404);
    expect((await bank.lookup('rp-lost')).status).toBe(404);
    await verified();
  });

  it('repeats notifications without a record, with the same id, and continues with higher sequences', async () => {
    const again = sent.filter(({ rupaId }) => rupaId === 'rp-2');
    await until(() =>
      deliveries()
        .slice(sent.length)
        .some(({ id }) => id === again[0]?.id),
    );
    await recorded(again[0]?.id);
    await report('rp-between');
    expect(
      deliveries()
        .slice(sent.length)
        .map(({ rupaId }) => rupaId)
        .sort(),
    ).toStrictEqual(['rp-2', 'rp-between']);
    expect(deliveries().at(-1)?.sequence).toBeGreaterThan(Math.max(...sent.map(({ sequence }) => sequence)));
  });

  it('refuses a log that ends before the database’s checkpoints, until it is adopted', async () => {
    await report('rp-1');
    former = await checkpoint();
    await service.interrupt();
    stores.push(await startEventStoreProcess([], copied));
    // The output is lines of the log, more of them where a store was slow, and a sentence, without a stack trace.
    await expect(startService(settings())).rejects.toThrow(/before it was up:\n(?:\{[^\n]*\n)*[^\n]*: rupa events adopt\.\n*$/);
    await maintenance();
    for (let times = 0; times < 2; times += 1) {
      expect(await command('events', 'adopt')).toMatchObject({
        code: 0,
        out: expect.stringMatching(
          /webhook_deliveries is at position \d+.*would continue after the newest[^]*Nothing has been changed/,
        ) as unknown,
      });
    }
    expect((await command('events', 'adopt', '--reason', 'The disk failed.')).out).toMatch(/The database belongs to this log now/);
    expect(await command('events', 'adopt')).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was lost') as unknown });
  });

  it('fails with an explanation when only the log was restored', async () => {
    databases.push(await createTestDatabase());
    try {
      expect(await command('projections', 'rebuild', '--all')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/[Rr]estore the key store/) as unknown,
      });
    } finally {
      await databases.pop()?.drop();
    }
  });

  it('continues after the adoption without repeated notifications and with increasing sequences', async () => {
    const before = deliveries();
    await startInMaintenance();
    expect((await bank.lookup('rp-between', IDENTITY)).status).toBe(200);
    await report('rp-2');
    const notified = deliveries().slice(before.length);
    expect(notified.map(({ rupaId }) => rupaId)).toStrictEqual(['rp-2']);
    expect(notified[0]?.sequence).toBeGreaterThan(Math.max(...before.map(({ sequence }) => sequence)));
  });

  it('signs what it goes on with as another log, and an auditor’s program accepts both notes', async () => {
    const signed = await checkpoint();
    const [origin] = former.split('\n');
    expect(signed.split('\n')[0]).toBe(`${origin}/2`);
    const keys = await (await fetch(`${service.url}/.well-known/rupa-checkpoint-key`)).text();
    expect(keys.trim().split('\n')).toHaveLength(2);
    const { code, out } = await command('audit', 'evidence', '-');
    expect(code).toBe(0);
    for (const found of auditedAsCommands({ evidence: out, keys, notes: [former, signed] })) {
      expect(found).toMatchObject({ status: 0, last: undefined });
      expect(found.out).toContain('The disk failed.');
    }
  });
});
