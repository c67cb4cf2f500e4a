import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventStoreSupport } from '../../src/operations/doctor/support-dates.js';
import { makePartner } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type ProcessResult, rupa } from '../support/rupa.js';
import { startService, temporaryDataDir, type TestService } from '../support/service.js';
import { SECRETS } from '../support/shared-stores.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failure';
  readonly found: string;
  readonly todo?: string;
}

const found = ({ out }: ProcessResult): Finding[] => JSON.parse(out) as Finding[];
const bad = (ended: ProcessResult): Finding[] => found(ended).filter(({ status }) => status === 'failure');
const failed = (check: string | RegExp, todo: RegExp): object => ({
  check: expect.stringMatching(check),
  status: 'failure',
  found: expect.any(String),
  todo: expect.stringMatching(todo),
});

describe('rupa doctor, on external stores,', () => {
  const folder = temporaryDataDir();
  let store: EventStoreProcess;
  let database: TestDatabase;
  let service: TestService;
  let settings: Record<string, string>;

  beforeAll(async () => {
    [store, database] = await Promise.all([startEventStoreProcess(), createTestDatabase()]);
    settings = {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'https://rupa.example',
      METRICS_PORT: String(await freePort()),
      TRUSTED_PROXIES: '203.0.113.4',
      EVENT_STORE_URL: store.connectionString,
      DATABASE_URL: database.url,
      ...SECRETS,
    };
    service = await startService({ ...settings, DATA_DIR: folder.dataDir }, { repeats: true });
    const bank = await makePartner(service);
    expect((await bank.call('POST', '/webhooks', { url: 'https://203.0.114.7/hook' })).status).toBe(201);
  });
  afterAll(async () => {
    await service.stop();
    await store.close();
    await database.drop();
    await folder.release();
  });

  const doctor = async (over: Record<string, string> = {}, ...args: string[]): Promise<ProcessResult> =>
    await rupa(folder.dataDir, ['doctor', '--json', ...args], '', { ...settings, ...over });
  /** Examines again while there are more failures than expected: a busy machine may keep a store from answering within the limit of a check. */
  const failing = async (failures: number, over: Record<string, string>, ...args: string[]): Promise<ProcessResult> =>
    await until(async () => {
      const examined = await doctor(over, ...args);
      return bad(examined).length <= failures && examined;
    });

  it('finds nothing wrong, writes nothing, and prints the findings as JSON or as a table', async () => {
    const ended = await failing(0, {});
    expect(ended.code).toBe(0);
    const healthy = [
      'settings',
      'Node',
      'event store',
      'event store, appends',
      'PostgreSQL',
      'encoding',
      'permissions',
      'connections',
      'running service',
      'clock',
      'migrations',
      'master key k1',
      'stores',
      'read models',
      'webhooks',
      'topology',
    ];
    expect(
      found(ended)
        .filter(({ status }) => status === 'ok')
        .map(({ check }) => check),
    ).toStrictEqual(expect.arrayContaining(healthy));
    expect(found(ended).find(({ check }) => check === 'event store')?.found).toMatch(
      /^version [\d.]+\S*; the newest event is at position \d+$/,
    );
    expect(found(ended).find(({ check }) => check === 'running service')?.found).toMatch(/hold \d+ connections/);
    expect(
      found(ended)
        .filter(({ status }) => status === 'warning')
        .map(({ found: words }) => words),
    ).toStrictEqual([
      'the event store is reached without TLS',
      ...eventStoreSupport('24.6.0', Date.now()).map(({ found: words }) => words),
    ]);
    expect(found(ended).find(({ check }) => check === 'topology')?.found).toMatch(/^\d+ of \d+ appends to wallets conflicted/);
    expect((await rupa(folder.dataDir, ['events', 'tail', '-n', '1', '--category', 'doctor'], '', settings)).out).toBe('');
    const { code, out, err } = await until(async () => {
      const examined = await rupa(folder.dataDir, ['doctor'], '', settings);
      return examined.code === 0 && examined;
    });
    expect([code, out, err]).toStrictEqual([
      0,
      expect.stringMatching(/PostgreSQL +│ ok +│ version/),
      expect.stringMatching(/^WARNING production: Use tls=true/),
    ]);
  });

  it('reports wrong settings', async () => {
    const ended = await doctor({ PORT: 'eighty', MASTER_KEY: '' });
    expect([ended.code, bad(ended)]).toStrictEqual([
      1,
      [failed('settings', /docs\/settings\.md/), failed('settings', /docs\/settings\.md/)],
    ]);
    const shared = await doctor({ AUDITOR_TOKEN: settings.ADMIN_TOKEN ?? '' });
    expect([shared.code, bad(shared).map(({ found: words }) => words)]).toStrictEqual([
      1,
      [expect.stringMatching(/^AUDITOR_TOKEN is wrong: it contains a token of ADMIN_TOKEN\./)],
    ]);
  });

  it('warns of a variable that is probably a misspelt setting', async () => {
    const ended = await failing(0, { APROVAL_ABOVE: '1000' });
    expect(found(ended)).toContainEqual({
      check: 'settings',
      status: 'warning',
      found: 'APROVAL_ABOVE is ignored, because it is not a setting. Did you mean APPROVAL_ABOVE?',
      todo: 'Correct its name, or unset it.',
    });
    expect(ended.code).toBe(0);
  });

  it('reports a wrong address of either store', async () => {
    const ended = await doctor({
      DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none',
      EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false',
    });
    expect([ended.code, bad(ended)]).toStrictEqual([
      1,
      [failed('event store', /EVENT_STORE_URL/), failed('PostgreSQL', /host and port in DATABASE_URL/)],
    ]);
    expect(ended.out).not.toContain('secret-word');
  });

  it('reports a missing database', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    expect(bad(await failing(1, { DATABASE_URL: url.href }))).toStrictEqual([failed('PostgreSQL', /^Create the database/)]);
  });

  it('reports a master key that is missing or different', async () => {
    const other = Buffer.alloc(32, 4).toString('base64');
    expect(bad(await failing(1, { MASTER_KEY: `k2:${other}` }))).toStrictEqual([failed('master key k1', /MASTER_KEY=…,k1:<base64>/)]);
    expect(bad(await failing(1, { MASTER_KEY: `k1:${other}` }))).toStrictEqual([
      failed('master key k1', /^The key k1 in MASTER_KEY is not/),
    ]);
  });

  it('reports settings that are not fit for production', async () => {
    expect(bad(await failing(1, { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true' }))).toStrictEqual([
      failed('production', /WEBHOOK_ALLOW_PRIVATE_NETWORKS/),
    ]);
  });

  it('warns without metrics or trusted proxies, and about metrics of an API that it cannot read', async () => {
    const warned = async (over: Record<string, string>, ...args: string[]): Promise<string[]> =>
      found(await doctor(over, ...args))
        .filter(({ status, check }) => status === 'warning' && ['production', 'topology'].includes(check))
        .map(({ found: words }) => words);
    expect(await warned({ METRICS_PORT: '', TRUSTED_PROXIES: '', EVENT_STORE_URL: store.connectionString })).toStrictEqual(
      expect.arrayContaining([expect.stringMatching(/^METRICS_PORT is not set/), expect.stringMatching(/^TRUSTED_PROXIES is empty/)]),
    );
    expect(await warned({}, '--metrics-url', 'http://127.0.0.1:1/metrics')).toStrictEqual(
      expect.arrayContaining([expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/metrics cannot be read/)]),
    );
  });

  it('tests outgoing connections only on request, and to no private address', async () => {
    expect(bad(await failing(1, {}, '--egress-url', 'https://127.0.0.1/hook'))).toStrictEqual([failed('webhook egress', /port 443/)]);
  });
});

describe('rupa doctor, on a data folder,', () => {
  it('is refused without stores, checks those that exist, and reports missing secrets', async () => {
    const { dataDir, release } = temporaryDataDir();
    try {
      expect(await rupa(dataDir, ['doctor', '--json'])).toStrictEqual({
        code: 2,
        out: '',
        err: `${dataDir} holds no event store and no PostgreSQL cluster. Set DATA_DIR to the data folder of the service, or start the service once: it creates its stores there.\n`,
      });
      expect(readdirSync(dataDir)).toStrictEqual([]);
      expect((await rupa(dataDir, ['demo', '--farmers', '1'])).code).toBe(0);
      const after = await rupa(dataDir, ['doctor', '--json']);
      expect([after.code, bad(after)]).toStrictEqual([0, []]);
      expect(found(after).map(({ check }) => check)).toStrictEqual(
        expect.arrayContaining(['data folder', 'disk', 'event store', 'PostgreSQL', 'read models']),
      );
      rmSync(join(dataDir, 'secrets.json'));
      const without = await rupa(dataDir, ['doctor', '--json']);
      expect([without.code, bad(without)]).toStrictEqual([1, [failed('data folder', /Restore secrets\.json from a backup/)]]);
      expect(bad(without)[0]?.found).toContain('secrets.json is missing');
    } finally {
      await release();
    }
  });
});
