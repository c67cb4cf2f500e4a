import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { admin, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { startWithoutWaiting } from '../support/starting.js';

const key = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

describe('master keys that the service generated itself', () => {
  let service: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await startService({}, { repeats: true });
    bank = await makePartner(service);
    for (const id of ['rp-1', 'rp-2']) await admin(service, 'PUT', `/farmers/${id}`, { identity: { first_name: 'Aisha' } });
  });
  afterAll(() => service.stop());

  const status = async (): Promise<unknown> => JSON.parse((await rupa(service.dataDir, ['keys', 'status', '--json'])).out);
  const firstName = async (id: string): Promise<unknown> =>
    ((await bank.lookup(id, { sections: ['identity'] })).body.data.identity as { first_name: string }).first_name;

  it('are rotated while the service runs', async () => {
    expect(await rupa(service.dataDir, ['keys', 'retire', 'k1'])).toMatchObject({
      code: 1,
      err: 'Master key "k1" is the current one; generate a new one first: rupa keys rotate --new\n',
    });
    const { code, out, err } = await rupa(service.dataDir, ['keys', 'rotate', '--new']);
    // The data keys of two farmers, and the service's own secrets.
    expect([code, out]).toStrictEqual([
      0,
      // The rows of the prices, the partner, its key, the customer, the last customer's number and the two farmers; and that of the event
      // that was notified last, unless the service has written it again with the new key.
      expect.stringMatching(
        /^2 data keys and \d+ secrets were re-encrypted with master key "k2"\.\n[78] rows that decide got a MAC under it\.\n$/,
      ),
    ]);
    expect(err).toContain('"k1" encrypts nothing any more. After a day, remove it with: rupa keys retire k1.');
    await admin(service, 'PUT', '/farmers/rp-3', { identity: { first_name: 'Aisha' } });
    expect(await status()).toMatchObject([
      { id: 'k2', current: true, in_setting: true, data_keys: 3 },
      { id: 'k1', current: false, in_setting: true, data_keys: 0, secrets: 0 },
    ]);
    for (const id of ['rp-1', 'rp-2', 'rp-3']) expect(await firstName(id)).toBe('Aisha');
  });

  it('stay readable by their owner only, and survive a kill', async () => {
    const path = join(service.dataDir, 'secrets.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((JSON.parse(readFileSync(path, 'utf8')) as { masterKey: string }).masterKey).toMatch(/^k2:[^,]+,k1:[^,]+$/);
    await service.kill();
    await service.restart();
    expect(await firstName('rp-1')).toBe('Aisha');
  });

  it('are retired only when nothing is encrypted under them', async () => {
    expect(await rupa(service.dataDir, ['keys', 'retire', 'k1'])).toMatchObject({ code: 0, out: 'Master key "k1" is removed.\n' });
    expect(await rupa(service.dataDir, ['keys', 'retire', 'k1'])).toMatchObject({ code: 1, err: 'There is no master key "k1".\n' });
    expect((await admin(service, 'POST', '/checkpoints')).status).toBe(201);
    await service.interrupt();
    // A rotation with a wrong or a missing key would fail, so it generates no key.
    const path = join(service.dataDir, 'secrets.json');
    const right = readFileSync(path, 'utf8');
    const { masterKey } = JSON.parse(right) as { masterKey: string };
    for (const [wrong, said] of [
      [key('k2', 9), /^\S+ holds another master key "k2" than the one that encrypted /],
      [key('k9', 9), /^\S+ lacks the master key "k2", which encrypted /],
    ] as const) {
      const text = right.replace(masterKey, wrong);
      writeFileSync(path, text);
      expect(await rupa(service.dataDir, ['keys', 'rotate', '--new'])).toMatchObject({ code: 1, err: expect.stringMatching(said) });
      expect(readFileSync(path, 'utf8')).toBe(text);
      const { out } = await rupa(service.dataDir, ['doctor', '--json']);
      expect(out).toContain('Put back the master key that the key store was encrypted with');
    }
    writeFileSync(path, right);
    // The service does not run, so the command opens the stores itself.
    expect((await rupa(service.dataDir, ['keys', 'rotate', '--new'])).code).toBe(0);
    await service.restart();
    expect(await status()).toMatchObject([
      { id: 'k3', data_keys: 3 },
      { id: 'k2', data_keys: 0 },
    ]);
    expect(await firstName('rp-2')).toBe('Aisha');
  });
});

describe('master keys from the setting MASTER_KEY', () => {
  let store: EventStoreProcess;
  let database: TestDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    [store, database] = await Promise.all([startEventStoreProcess(), createTestDatabase()]);
    env = {
      EVENT_STORE_URL: store.connectionString,
      DATABASE_URL: database.url,
      ADMIN_TOKEN: 'an-administrator-of-the-tests',
      AUDITOR_TOKEN: 'an-auditor-of-the-tests-too',
    };
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it('are rotated in the documented order, and a missing one is named', async () => {
    const [old, renewed] = [key('k1', 1), key('k2', 2)];
    const first = { ...env, MASTER_KEY: `${renewed},${old}` };
    const begun = await startService({ ...env, MASTER_KEY: `${old},${renewed}` }, { repeats: true });
    let partner: TestPartner;
    try {
      partner = await makePartner(begun);
      await admin(begun, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    } finally {
      await begun.stop();
    }
    const service = await startService(first, { repeats: true });
    try {
      const bank = partnerWith(service, partner.partner_id, partner.key);
      expect(await rupa(service.dataDir, ['keys', 'rotate', '--new'], '', first)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^The keys are in the setting MASTER_KEY/),
      });
      expect(await rupa(service.dataDir, ['keys', 'rotate'], '', first)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^1 data keys and \d+ secrets were re-encrypted with master key "k2"\.\n[67] rows that decide/),
        err: expect.stringContaining('After a day, it can be removed from MASTER_KEY'),
      });
      expect((await bank.lookup('rp-1', { sections: ['identity'] })).status).toBe(200);
      const lost = { ...env, MASTER_KEY: old };
      const sentence =
        /1 data keys and \d+ secrets are wrapped by master key "k2", which is not in MASTER_KEY\. Add it after the current one\./;
      expect(await rupa(service.dataDir, ['keys', 'rotate'], '', lost)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(sentence),
      });
      for (const [wrong, said] of [
        [old, /^MASTER_KEY lacks the master key "k2", which encrypted \d+ keys and secrets of the database\. Add that key/],
        [key('k2', 3), /^MASTER_KEY holds another master key "k2" than the one that encrypted \d+ keys and secrets of the database\./],
      ] as const) {
        const refused = startWithoutWaiting({ ...env, MASTER_KEY: wrong });
        expect([await refused.exited, refused.output()]).toStrictEqual([1, expect.stringMatching(said)]);
        const command = await rupa(service.dataDir, ['partners', 'create', 'Late', '--type', 'bank'], '', { ...env, MASTER_KEY: wrong });
        expect(command).toMatchObject({ code: 1, out: '', err: expect.stringMatching(said) });
      }
      expect(await rupa(service.dataDir, ['keys', 'status'], '', lost)).toMatchObject({
        code: 1,
        out: expect.stringContaining('NOT IN MASTER_KEY'),
        err: expect.stringMatching(sentence),
      });
    } finally {
      await service.stop();
    }
  });
});
