import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Agent, request as httpRequest } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { admin, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { setTime, TIME_FILES } from '../support/jumping-time.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { startSilentProxy } from '../support/silent-proxy.js';
import { freePort, type Starting, startWithoutWaiting } from '../support/starting.js';
import { until } from '../support/until.js';

const ALL = 'api,projector,webhooks';
/** The longest that the settings allow; no machine is too busy to be asked something meanwhile. */
const GRACE_MS = 600_000;
/** Less than the age at which the date of a settlement is refused (docs/adr/0045). */
const LAST_MS = 50_000;

describe('a process that is asked to stop', () => {
  let stores: SharedStores;
  let stopped: Starting;
  let url: string;
  let bank: TestPartner;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  beforeEach(async () => {
    stores = await startSharedStores();
    const other = await stores.start(ALL);
    await admin(other, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    bank = await makePartner(other);
    url = `http://127.0.0.1:${await freePort()}`;
  });
  afterEach(async () => {
    stores.store.resume();
    stopped.kill('SIGKILL');
    await stopped.exited;
    agent.destroy();
    await stores.close();
  });

  const start = async (env: Record<string, string>): Promise<void> => {
    stopped = startWithoutWaiting({ ...stores.env, ROLES: ALL, PORT: new URL(url).port, RATE_LIMIT_LIVE_PER_SECOND: '0', ...env });
    await until(() => stopped.output().includes('Rupa is up'));
  };
  /** Sends a lookup over the one connection that is kept alive. */
  const lookup = async (): Promise<{ status: number | undefined; connection: string | undefined }> => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; connection: string | undefined }>();
    const call = httpRequest(
      `${url}/v1/rupa/lookup`,
      { agent, method: 'POST', headers: { 'X-API-KEY': bank.key, 'Content-Type': 'application/json' } },
      (response) => {
        void text(response).then(() => {
          resolve({ status: response.statusCode, connection: response.headers.connection });
        });
      },
    );
    call.on('error', reject).end(JSON.stringify({ rupa_id: 'rp-1', sections: ['identity'] }));
    return await promise;
  };
  const ready = async (): Promise<number> => (await fetch(`${url}/health/ready`)).status;

  it('reports that it is not ready, serves for a while, closes kept-alive connections, and settles its charges', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rupa-time-'));
    const jumpTo = async (ms: number): Promise<void> => {
      setTime(folder, 'ahead', ms);
      const reports = readdirSync(folder).filter((file) => file.endsWith('.json'));
      const hasJumped = (file: string): boolean => (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { ahead: number }).ahead === ms;
      await until(() => reports.every(hasJumped));
    };
    for (const file of TIME_FILES) setTime(folder, file, 0);
    const NODE_OPTIONS = `--import=${resolve('test/support/jump-ahead.mjs')}`;
    await start({ SHUTDOWN_GRACE_MS: String(GRACE_MS), NODE_OPTIONS, TIME_DIR: folder });
    expect(await lookup()).toStrictEqual({ status: 200, connection: 'keep-alive' });
    stopped.kill('SIGTERM');
    await until(async () => (await ready()) === 503);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect(await lookup()).toStrictEqual({ status: 200, connection: 'close' });
    await jumpTo(GRACE_MS - LAST_MS);
    expect(await lookup()).toStrictEqual({ status: 200, connection: 'close' });
    setTime(folder, 'ahead', GRACE_MS);
    expect(await stopped.exited).toBe(0);
    rmSync(folder, { recursive: true });
    await expect(fetch(url)).rejects.toThrow();
    const entries = await entriesOf(await stores.start('api'), bank);
    expect(entries.filter(({ type }) => type === 'WalletDebited')).toHaveLength(3);
    expect(entries.at(-1)?.type).toBe('ChargesSettled');
  });

  it('exits at once on a second signal, whatever it waits for', async () => {
    await start({});
    expect((await lookup()).status).toBe(200);
    // The charge cannot be settled while the store is paused.
    stores.store.pause();
    let code: number | null | undefined;
    void stopped.exited.then((found) => (code = found));
    await until(() => {
      if (code === undefined) stopped.kill('SIGTERM');
      return code !== undefined;
    });
    expect(code).toBe(143);
    expect(stopped.output()).toContain('Exiting immediately');
  });

  it.each(['event store', 'database'])('exits even if the %s never responds again, and says what it could not finish', async (silent) => {
    const { port } = new URL(stores.databaseUrl);
    const proxy = await startSilentProxy(Number(port));
    try {
      await start({ SHUTDOWN_GRACE_MS: '500', DATABASE_URL: stores.databaseUrl.replace(`:${port}/`, `:${proxy.port}/`) });
      expect((await lookup()).status).toBe(200);
      if (silent === 'database') proxy.silence();
      else stores.store.pause();
      stopped.kill('SIGTERM');
      expect(await stopped.exited).toBe(1);
      expect(stopped.output()).toMatch(/Exiting although .+ did not finish in time; .+ refunds open charges/);
    } finally {
      await proxy.close();
    }
  });
});
