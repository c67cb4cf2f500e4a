import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backUp, restore } from '../support/backup.js';
import { admin, balanceOf, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { readCompose } from '../support/compose.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type ProcessResult, run, rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { externalStores } from '../support/shared-stores.js';
import { startWithoutWaiting } from '../support/starting.js';
import { type StoreNode, startStoreNode } from '../support/store-node.js';

const PASSWORD = randomBytes(16).toString('hex');
const ADMIN_PASSWORD = randomBytes(16).toString('hex');
const FEE = 50;

/**
 * Runs what the profile `cluster` of docker-compose.yml runs, in that order, and then what an operator does: a backup, its restore, and a
 * copy to another event store. It runs on a node of KurrentDB if STORE_NODE names one (test/support/store-node.ts).
 */
describe('the profile cluster of docker-compose.yml, run without containers,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rupa-cluster-'));
  const at = (name: string): string => join(folder, name);
  const nodes: StoreNode[] = [];
  const databases: TestDatabase[] = [];
  let service: TestService | undefined;
  let bank: TestPartner | undefined;

  const urlOf = (node: StoreNode | undefined): string => `esdb://rupa:${PASSWORD}@localhost:${node?.port}?tlsCAFile=${at('ca')}/ca.crt`;
  const settings = (): Record<string, string> => externalStores(urlOf(nodes.at(-1)), databases.at(-1)?.url ?? '');
  const start = async (): Promise<TestService> => {
    service = await startService({ ...settings(), WAIT_FOR_STORES_SECONDS: '300' }, { repeats: true });
    bank &&= partnerWith(service, bank.partner_id, bank.key);
    return service;
  };
  const stop = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };
  const balance = async (): Promise<number> => {
    if (!service || !bank) throw new Error('No service runs, or it has no partner.');
    return await balanceOf(service, bank);
  };
  const makeUser = async (node: StoreNode | undefined): Promise<ProcessResult> => {
    const { command = [] } = readCompose().services['event-store-user'] ?? {};
    expect(command).toStrictEqual(['node', 'make-user.mjs']);
    return await run(process.execPath, ['ops/event-store/make-user.mjs'], {
      NODE_EXTRA_CA_CERTS: join(at('ca'), 'ca.crt'),
      EVENT_STORE_URL: urlOf(node),
      ESDB_ADMIN_PASSWORD: ADMIN_PASSWORD,
    });
  };
  const lookUp = async (): Promise<unknown> => (await bank?.lookup('rp-1', { sections: ['identity'] }))?.body.data.identity;
  const isWhole = async (): Promise<void> => {
    for (const args of [
      ['wallet', 'verify'],
      ['projections', 'verify', '--all'],
      ['events', 'check'],
    ])
      expect(await rupa({ dataDir: at('unused'), stores: settings() }, args)).toMatchObject({ code: 0 });
  };

  beforeAll(async () => {
    const entrypoint = readCompose().services['event-store-certificates']?.entrypoint;
    expect(entrypoint).toStrictEqual(['sh', '/make-certificates.sh']);
    const owner = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
    const made = await run('sh', ['ops/event-store/make-certificates.sh', at('certificates'), at('ca'), 'localhost'], {
      ESDB_OWNER: owner,
    });
    expect([made.code, made.code === 0 ? '' : made.err]).toStrictEqual([0, '']);
    nodes.push(await startStoreNode(at('first'), at('certificates')));
    databases.push(await createTestDatabase());
  });
  afterAll(async () => {
    await stop();
    for (const node of nodes) await node.stop();
    for (const database of databases) await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends a process that starts before its user is made, with a sentence', async () => {
    const early = startWithoutWaiting({ ...settings(), WAIT_FOR_STORES_SECONDS: '300' });
    expect(await early.exited).toBe(1);
    expect(early.output()).toContain('The event store rejects the user or the password in EVENT_STORE_URL.');
  });

  it('makes the user, also if it is run again', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { code, out, err } = await makeUser(nodes[0]);
      expect([code, out, code === 0 ? '' : err]).toStrictEqual([0, 'The user rupa has its rights.\n', '']);
    }
  });

  it('starts, serves lookups, and starts again', async () => {
    const first = await start();
    bank = await makePartner(first);
    await admin(first, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    expect(await lookUp()).toMatchObject({ first_name: 'Aisha' });
    await stop();
    await start();
    const before = await balance();
    expect(await lookUp()).toMatchObject({ first_name: 'Aisha' });
    expect(await balance()).toBe(before - FEE);
  });

  it('goes on with the lookups after its backup is restored to another machine', async () => {
    const before = await balance();
    await stop();
    const url = databases[0]?.url ?? '';
    const ops = await backUp(url, 'ops');
    await nodes[0]?.backUp(at('backup'));
    const keys = await backUp(url, 'key_store');
    const database = await createTestDatabase();
    databases.push(database);
    await restore(database.url, ops, keys);
    nodes.push(await startStoreNode(at('restored'), at('certificates'), at('backup')));
    await start();
    expect(await balance()).toBe(before);
    expect(await lookUp()).toMatchObject({ first_name: 'Aisha' });
    await isWhole();
  });

  it('goes on with the lookups after the log is copied to another event store with users', async () => {
    const before = await balance();
    await stop();
    const from = settings();
    const target = await startStoreNode(at('target'), at('certificates'));
    nodes.push(target);
    expect(await makeUser(target)).toMatchObject({ code: 0 });
    const copied = await rupa({ dataDir: at('unused'), stores: from }, ['events', 'copy', '--to', urlOf(target), '--switch']);
    expect([copied.code, copied.code === 0 ? '' : copied.err]).toStrictEqual([0, '']);
    await start();
    expect(await balance()).toBe(before);
    expect(await lookUp()).toMatchObject({ first_name: 'Aisha' });
    await isWhole();
  });
});
