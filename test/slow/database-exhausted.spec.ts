import { describe, expect, it } from '@jest/globals';
import { admin, makePartner, whenServed } from '../support/client.js';
import { type FaultyDatabase, startFaultyDatabase } from '../support/database-faults.js';
import { startEventStoreProcess } from '../support/event-store-process.js';
import { startReceiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { externalStores } from '../support/shared-stores.js';
import { type Starting, startWithoutWaiting } from '../support/starting.js';
import { until } from '../support/until.js';

const UNLIMITED = -1;
/** A process with all roles holds more connections than each of these once it is up, and fewer while a part waits to try again. */
const FEW = [2, 4, 6];

/** A PostgreSQL and an event store of a test's own, and the processes that it starts on them. */
class Exhausted {
  readonly cleanUp: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly database: FaultyDatabase,
    readonly env: Record<string, string>,
  ) {}

  /** Starts the stores for a test, and ends everything after it, so that tests can run at once. */
  static async during(test: (exhausted: Exhausted) => Promise<void>): Promise<void> {
    const [database, store] = await Promise.all([startFaultyDatabase(), startEventStoreProcess()]);
    const env = { ...externalStores(store.connectionString, database.url), WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true' };
    const exhausted = new Exhausted(database, env);
    try {
      await test(exhausted);
    } finally {
      for (const each of exhausted.cleanUp.toReversed()) await each();
      await store.close();
      await database.close();
    }
  }

  async limit(connections: number): Promise<void> {
    await this.database.execute(`alter role ledger connection limit ${connections}`);
  }

  begin(more: Record<string, string> = {}): Starting {
    const starting = startWithoutWaiting({ ...this.env, ...more });
    this.cleanUp.push(() => {
      starting.kill('SIGKILL');
      return starting.exited;
    });
    return starting;
  }
}

const address = (starting: Starting): string | undefined => /Rupa is up: +(\S+)\s/.exec(starting.output())?.[1];
const health = async (url: string): Promise<{ status: number; message?: string }> => {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, ...((await response.json()) as { message?: string }) };
};

async function refused(starting: Starting): Promise<void> {
  expect(await starting.exited).toBe(1);
  expect(starting.output()).toMatch(/(?:The database has no connection left|did not answer).*too many connections/);
}

async function serves(starting: Starting): Promise<void> {
  const url = await until(() => address(starting));
  await until(async () => (await health(url)).status === 200);
}

describe('a PostgreSQL that is out of connections', () => {
  it.concurrent('is waited for by a start, which names the reason', async () => {
    await Exhausted.during(async (exhausted) => {
      await exhausted.limit(0);
      const starting = exhausted.begin();
      await until(() => /PostgreSQL at \S+ does not answer yet \(too many connections .*\); waiting up to 60 s/.test(starting.output()));
      await exhausted.limit(UNLIMITED);
      const url = await until(() => address(starting));
      expect((await health(url)).status).toBe(200);
    });
  });

  it.concurrent('ends a start with the reason if it has only one, and the next start serves', async () => {
    await Exhausted.during(async (exhausted) => {
      await exhausted.limit(1);
      await refused(exhausted.begin({ WAIT_FOR_STORES_SECONDS: '10' }));
      await exhausted.limit(UNLIMITED);
      await serves(exhausted.begin());
    });
  });

  it.concurrent.each(FEW)('ends a start with the reason or starts if it has only %i, and serves once it has more', async (few) => {
    await Exhausted.during(async (exhausted) => {
      await exhausted.limit(few);
      const first = exhausted.begin();
      const outcomes: ('ended' | 'up')[] = [];
      void first.exited.then(() => outcomes.push('ended'));
      await until(() => outcomes.length > 0 || (address(first) && outcomes.push('up')));
      const hasEnded = outcomes[0] === 'ended';
      if (hasEnded) await refused(first);
      await exhausted.limit(UNLIMITED);
      await serves(hasEnded ? exhausted.begin() : first);
    });
  });

  it.concurrent(
    'makes every call of a running service that needs it a 503 with Retry-After, and lets all parts work again by themselves',
    async () => {
      await Exhausted.during(async ({ database, env, cleanUp }) => {
        const service = await startService(env);
        cleanUp.push(() => service.stop());
        const receiver = await startReceiver(200);
        cleanUp.push(() => receiver.close());
        const partner = await makePartner(service, { mode: 'sandbox' });
        await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { mode: 'sandbox' }));
        const lookUp = () => partner.lookup('rp-1', { sections: ['identity'] });
        expect((await whenServed(lookUp)).status).toBe(200);
        expect((await whenServed(() => partner.call('POST', '/webhooks', { url: receiver.url }))).status).toBe(201);
        const fault = 'it has no connection left';
        const statusOf = async (
          method: string,
          path: string,
          body?: unknown,
        ): Promise<{ path: string; status: number; retryAfter: boolean }> => {
          const { status, headers } = path.startsWith('/admin')
            ? await admin(service, method, path.slice('/admin'.length), body)
            : await partner.call(method, path, body, { 'Idempotency-Key': 'one' });
          return { path: `${method} ${path}`, status, retryAfter: headers.has('Retry-After') };
        };

        const { partner_id } = partner;
        const calls: readonly (readonly [string, string, unknown?])[] = [
          ['POST', '/lookup', { rupa_id: 'rp-1', sections: ['identity'] }],
          ['POST', '/report', { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1, partner_reference: 'r1' }],
          ['GET', '/me'],
          ['GET', '/consents'],
          ['DELETE', '/consents/rp-1'],
          ['GET', '/webhooks'],
          ['POST', '/webhooks', { url: receiver.url }],
          ['GET', '/webhooks/1/deliveries'],
          ['GET', '/admin/partners'],
          ['GET', `/admin/partners/${partner_id}/wallet`],
          ['GET', `/admin/partners/${partner_id}/wallet/entries`],
          ['GET', `/admin/partners/${partner_id}/statements/2026-01`],
          ['POST', `/admin/partners/${partner_id}/activate`],
          ['POST', `/admin/partners/${partner_id}/wallet/credits`, { amount: 1, reference: 'c1' }],
          ['POST', `/admin/partners/${partner_id}/api-keys`, {}],
          ['PUT', '/admin/farmers/rp-2', { mode: 'sandbox' }],
          ['GET', '/admin/farmers/rp-1/report'],
          ['GET', '/admin/price-book'],
          ['GET', '/admin/ledger/trial-balance'],
          ['GET', '/admin/projections'],
        ];
        await database.faults[fault]?.begin();
        await until(async () => (await health(service.url)).message?.includes('The database has no connection left.'));
        const answers = await Promise.all(calls.map(([method, path, body]) => statusOf(method, path, body)));
        expect(answers.filter(({ status, retryAfter }) => status >= 500 && !(status === 503 && retryAfter))).toStrictEqual([]);
        expect(answers.filter(({ path, status }) => !path.includes('/admin') && status !== 503)).toStrictEqual([]);
        await database.faults[fault]?.end();
        await until(async () => (await health(service.url)).status === 200);
        expect((await whenServed(lookUp)).status).toBe(200);
        const report = { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 2, partner_reference: 'r2' };
        expect((await whenServed(() => partner.call('POST', '/report', report))).status).toBe(200);
        await until(() => receiver.received.length > 0);
      });
    },
  );
});
