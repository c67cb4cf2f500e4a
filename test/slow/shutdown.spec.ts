import { describe, expect, it } from '@jest/globals';
import { Agent, request as httpRequest } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { admin, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { setTime, TIME_FILES } from '../support/jumping-time.js';
import { onOwnStores, type SharedStores } from '../support/shared-stores.js';
import { startSilentProxy } from '../support/silent-proxy.js';
import { freePort, type Starting, startWithoutWaiting } from '../support/starting.js';
import { until } from '../support/until.js';

const ALL = 'api,projector,webhooks';
/** The longest that the settings allow; no machine is too busy to be asked something meanwhile. */
const GRACE_MS = 600_000;
/** Less than the age at which the date of a settlement is refused (docs/adr/0045). */
const LAST_MS = 50_000;

/** A process on the stores of another one, which a test asks to stop, and a partner that looks up. */
class Stopping {
  private process: Starting | undefined;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  private constructor(
    readonly stores: SharedStores,
    readonly bank: TestPartner,
    readonly url: string,
  ) {}

  /** Runs a test, and ends the process after it. */
  static async during(test: (stopping: Stopping) => Promise<void>): Promise<void> {
    await onOwnStores(async (stores) => {
      const other = await stores.start(ALL);
      await whenServed(() => admin(other, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
      const stopping = new Stopping(stores, await makePartner(other), `http://127.0.0.1:${await freePort()}`);
      try {
        await test(stopping);
      } finally {
        stores.store.resume();
        stopping.process?.kill('SIGKILL');
        await stopping.process?.exited;
        stopping.agent.destroy();
      }
    });
  }

  async start(env: Record<string, string>): Promise<Starting> {
    const { port } = new URL(this.url);
    const started = startWithoutWaiting({ ...this.stores.env, ROLES: ALL, PORT: port, RATE_LIMIT_LIVE_PER_SECOND: '0', ...env });
    this.process = started;
    await until(() => started.output().includes('Rupa is up'));
    return started;
  }

  /** Sends a lookup over the one connection that is kept alive. */
  async lookup(): Promise<{ status: number | undefined; connection: string | undefined }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; connection: string | undefined }>();
    const call = httpRequest(
      `${this.url}/v1/rupa/lookup`,
      { agent: this.agent, method: 'POST', headers: { 'X-API-KEY': this.bank.key, 'Content-Type': 'application/json' } },
      (response) => {
        void text(response).then(() => {
          resolve({ status: response.statusCode, connection: response.headers.connection });
        });
      },
    );
    call.on('error', reject).end(JSON.stringify({ rupa_id: 'rp-1', sections: ['identity'] }));
    return await promise;
  }

  async ready(): Promise<number> {
    return (await fetch(`${this.url}/health/ready`)).status;
  }
}

describe('a process that is asked to stop', () => {
  it.concurrent('reports that it is not ready, serves for a while, closes kept-alive connections, and settles its charges', () =>
    Stopping.during(async (stopping) => {
      const folder = mkdtempSync(join(tmpdir(), 'rupa-time-'));
      const jumpTo = async (ms: number): Promise<void> => {
        setTime(folder, 'ahead', ms);
        const reports = readdirSync(folder).filter((file) => file.endsWith('.json'));
        const hasJumped = (file: string): boolean =>
          (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { ahead: number }).ahead === ms;
        await until(() => reports.every(hasJumped));
      };
      for (const file of TIME_FILES) setTime(folder, file, 0);
      const NODE_OPTIONS = `--import=${resolve('test/support/jump-ahead.mjs')}`;
      const stopped = await stopping.start({ SHUTDOWN_GRACE_MS: String(GRACE_MS), NODE_OPTIONS, TIME_DIR: folder });
      expect(await stopping.lookup()).toStrictEqual({ status: 200, connection: 'keep-alive' });
      stopped.kill('SIGTERM');
      await until(async () => (await stopping.ready()) === 503);
      expect((await fetch(`${stopping.url}/health/live`)).status).toBe(200);
      expect(await stopping.lookup()).toStrictEqual({ status: 200, connection: 'close' });
      await jumpTo(GRACE_MS - LAST_MS);
      expect(await stopping.lookup()).toStrictEqual({ status: 200, connection: 'close' });
      setTime(folder, 'ahead', GRACE_MS);
      expect(await stopped.exited).toBe(0);
      rmSync(folder, { recursive: true });
      await expect(fetch(stopping.url)).rejects.toThrow();
      const entries = await entriesOf(await stopping.stores.start('api'), stopping.bank);
      expect(entries.filter(({ type }) => type === 'WalletDebited')).toHaveLength(3);
      expect(entries.at(-1)?.type).toBe('ChargesSettled');
    }),
  );

  it.concurrent('exits at once on a second signal, whatever it waits for', () =>
    Stopping.during(async (stopping) => {
      const stopped = await until(async () => {
        const started = await stopping.start({});
        expect((await stopping.lookup()).status).toBe(200);
        // The charge cannot be settled while the store is paused.
        stopping.stores.store.pause();
        let code: number | null | undefined;
        void started.exited.then((found) => (code = found));
        await until(() => {
          if (code === undefined) started.kill('SIGTERM');
          return code !== undefined;
        });
        stopping.stores.store.resume();
        expect([0, 143]).toContain(code);
        // On a busy machine, the charge may be settled before the store is paused: then nothing is left to wait for.
        return code === 143 && started;
      });
      expect(stopped.output()).toContain('Exiting immediately');
    }),
  );

  it.concurrent.each(['event store', 'database'])(
    'exits even if the %s never responds again, and says what it could not finish',
    (silent) =>
      Stopping.during(async (stopping) => {
        const { port } = new URL(stopping.stores.databaseUrl);
        const proxy = await startSilentProxy(Number(port));
        try {
          const stopped = await until(async () => {
            const started = await stopping.start({
              SHUTDOWN_GRACE_MS: '500',
              DATABASE_URL: stopping.stores.databaseUrl.replace(`:${port}/`, `:${proxy.port}/`),
            });
            await until(async () => (await stopping.lookup()).status === 200);
            if (silent === 'database') proxy.silence();
            else stopping.stores.store.pause();
            started.kill('SIGTERM');
            const code = await started.exited;
            if (silent === 'database') proxy.speak();
            else stopping.stores.store.resume();
            expect([0, 1]).toContain(code);
            // On a busy machine, the charge may be settled before the store falls silent: then nothing is left to finish.
            return code === 1 && started;
          });
          expect(stopped.output()).toMatch(/Exiting although .+ did not finish in time; .+ refunds open charges/);
        } finally {
          await proxy.close();
        }
      }),
  );
});
