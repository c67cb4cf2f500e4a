import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createPool } from '../../src/platform/database/pool.js';
import { type Balancer, startBalancer } from '../support/balancer.js';
import { admin, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.js';
import { startService, type TestService } from '../support/service.js';
import { externalStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const WORKERS = 4;
/** Responses to wait for before, during and after each trouble. */
const RESPONSES = 60;
const PAUSE_MS = 20;
const SHIFT = pathToFileURL(resolve('test/support/shift-clock.mjs')).href;

/** Clients of one partner that look a farmer up without a pause, each over a new connection, and count what is not served. */
class LookupLoad {
  readonly lookupIds: string[] = [];
  readonly notServedAt: number[] = [];
  private readonly stopping = new AbortController();
  private readonly working: Promise<unknown>;

  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {
    this.working = Promise.all(Array.from({ length: WORKERS }, () => this.lookUpForever()));
  }

  get served(): number {
    return this.lookupIds.length;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.working;
  }

  /** Waits until so many more lookups are served. */
  async serves(count = RESPONSES): Promise<void> {
    const enough = this.served + count;
    await until(() => this.served >= enough);
  }

  private async lookUpForever(): Promise<void> {
    const headers = { 'X-API-KEY': this.key, 'Content-Type': 'application/json', Connection: 'close' };
    const body = JSON.stringify({ rupa_id: 'rp-1', sections: ['identity'] });
    while (!this.stopping.signal.aborted) {
      const lookupId = await fetch(`${this.url}/v1/rupa/lookup`, { method: 'POST', headers, body })
        .then(async (response) => ((await response.json()) as { data?: { billing?: { lookup_id?: string } } }).data?.billing?.lookup_id)
        .catch(() => undefined);
      if (lookupId !== undefined) this.lookupIds.push(lookupId);
      else {
        this.notServedAt.push(performance.now());
        await delay(PAUSE_MS);
      }
    }
  }
}

describe('lookups of two APIs behind a balancer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rupa-what-breaks-'));
  const clock = join(folder, 'clock');
  let postgres: OwnPostgres;
  let store: EventStoreProcess;
  let processes: Readonly<Record<'projector' | 'webhooks' | 'one' | 'other', TestService>>;
  let balancer: Balancer;
  let bank: TestPartner;
  let load: LookupLoad;

  beforeAll(async () => {
    [postgres, store] = await Promise.all([startOwnPostgres(), startEventStoreProcess()]);
    writeFileSync(clock, '0');
    const env = externalStores(store.connectionString, postgres.url);
    const start = (roles: string, more: Record<string, string> = {}) => startService({ ...env, ROLES: roles, ...more });
    const projector = await start('projector');
    const [webhooks, one, other] = await Promise.all([
      start('webhooks'),
      start('api', { NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_SHIFT: clock }),
      start('api'),
    ]);
    processes = { projector, webhooks, one, other };
    balancer = await startBalancer([one, other]);
    await admin(one, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    bank = await makePartner(one, { credit: 10_000_000 });
    load = new LookupLoad(balancer.url, bank.key);
    await load.serves();
  });
  afterAll(async () => {
    await load.stop();
    await balancer.close();
    await Promise.all(Object.values(processes).map((each) => each.stop()));
    await store.close();
    await postgres.close();
    rmSync(folder, { recursive: true });
  });

  /** Returns the number of lookups that were not served in the meantime. */
  async function notServedDuring(name: string, trouble: () => Promise<void>): Promise<number> {
    await load.serves();
    const [before, servedBefore, began] = [load.notServedAt.length, load.served, performance.now()];
    await trouble();
    const ended = performance.now();
    await load.serves();
    const failed = load.notServedAt.slice(before);
    const spanMs = Math.round((failed.at(-1) ?? 0) - (failed[0] ?? 0));
    const figures = [failed.length, load.served - servedBefore, spanMs, Math.round(ended - began)];
    if (process.env.WHAT_BREAKS) appendFileSync(process.env.WHAT_BREAKS, `| ${[name, ...figures].join(' | ')} |\n`);
    return failed.length;
  }

  const hang = async (process: TestService): Promise<void> => {
    process.pause();
    await load.serves().finally(() => {
      process.resume();
    });
  };
  const restart = async (process: TestService): Promise<void> => {
    expect(await process.interrupt('SIGTERM')).toBe(0);
    await load.serves();
    await process.restart();
  };

  it.each([
    ['the projector hangs', () => hang(processes.projector)],
    ['the projector is restarted', () => restart(processes.projector)],
    ['the sender hangs', () => hang(processes.webhooks)],
    ['the sender is restarted', () => restart(processes.webhooks)],
    ['a read model that no lookup needs is faulted', () => fault('low_balance_threshold')],
    ['a read model that lookups need is faulted', () => fault('consent_roster')],
  ])('are all served while %s', async (name, trouble) => {
    expect(await notServedDuring(name, trouble)).toBe(0);
  });

  async function fault(model: string): Promise<void> {
    const pool = createPool(postgres.url, 1, () => undefined);
    try {
      await pool.query(`alter table read.${model} add constraint refused check (false) not valid`);
      if (model === 'low_balance_threshold') void bank.call('PUT', '/me/low-balance', { amount: 1 }).catch(() => undefined);
      await until(async () => (await pool.query('select from ops.checkpoint where fault is not null')).rowCount === 1);
      await load.serves();
      await pool.query(`alter table read.${model} drop constraint refused`);
      expect((await admin(processes.other, 'POST', `/projections/${model}/retry`)).status).toBe(202);
      await until(async () => (await pool.query('select from ops.checkpoint where fault is not null')).rowCount === 0);
    } finally {
      await pool.end();
    }
  }

  it.each([
    [
      'the clock of one API is 30 s off',
      async () => {
        writeFileSync(clock, '30000');
        await until(() => balancer.ready() === 1);
        await load.serves();
        writeFileSync(clock, '0');
        await until(() => balancer.ready() === 2);
      },
    ],
    [
      'one API is killed',
      async () => {
        await processes.other.kill();
        await load.serves();
        await processes.other.restart();
        await until(() => balancer.ready() === 2);
      },
    ],
    [
      'PostgreSQL is killed and restarted',
      async () => {
        await postgres.kill();
        await postgres.restart();
      },
    ],
    [
      'the event store is killed and restarted',
      async () => {
        await store.kill();
        await store.restart();
      },
    ],
  ])('are served again by themselves after %s', async (name, trouble) => {
    await notServedDuring(name, trouble);
    await until(() => balancer.ready() === 2);
    const failed = load.notServedAt.length;
    await load.serves();
    expect(load.notServedAt.length).toBe(failed);
  });

  // kill-under-load.spec.ts follows each charge to its end.
  it('are each charged once', async () => {
    await load.stop();
    const entries = await entriesOf({ ...processes.one, repeatsChanges: true }, bank);
    const charged = entries.filter(({ type }) => type === 'WalletDebited').map(({ lookup_id }) => lookup_id);
    expect(new Set(charged).size).toBe(charged.length);
    expect(load.lookupIds.filter((id) => !charged.includes(id))).toStrictEqual([]);
    expect((await admin(processes.one, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data).toMatchObject({ ok: true });
  });
});
