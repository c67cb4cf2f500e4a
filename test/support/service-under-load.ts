import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Balancer, startBalancer } from './balancer.js';
import { admin, makePartner, type TestPartner, whenServed } from './client.js';
import { type EventStoreProcess, startEventStoreProcess } from './event-store-process.js';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.js';
import { withinOwnTime } from './own-time.js';
import { startService, type TestService } from './service.js';
import { externalStores } from './shared-stores.js';
import { until } from './until.js';

const WORKERS = 4;
/** Some hundred lookups a second show what is not served for a moment as well as more, which would take a core. */
export const DENSE: LoadOptions = { pauseMs: 20, responses: 60 };
/** Enough where a trouble lasts until the test ends it. */
export const SPARSE: LoadOptions = { pauseMs: 60, responses: 24 };
/** How long a client waits for a response. */
const CLIENT_TIMEOUT_MS = 10_000;
const SHIFT = pathToFileURL(resolve('test/support/shift-clock.mjs')).href;

interface LoadOptions {
  /** How long a client pauses after a response. */
  readonly pauseMs: number;
  /** Responses to wait for before, during and after each trouble. */
  readonly responses: number;
}

interface NotServed {
  readonly at: number;
  /** The response, or why there is none. */
  readonly reason: string;
}

/** Clients of one partner that look a farmer up all the time, each over a new connection, and count what is not served. */
class LookupLoad {
  readonly lookupIds: string[] = [];
  readonly notServed: NotServed[] = [];
  private readonly stopping = new AbortController();
  private readonly working: Promise<unknown>;

  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly options: LoadOptions,
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
  async serves(count = this.options.responses): Promise<void> {
    const enough = this.served + count;
    await until(() => this.served >= enough);
  }

  private async lookUpForever(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        this.lookupIds.push(await this.lookUp());
      } catch (error) {
        this.notServed.push({ at: performance.now(), reason: String(error) });
      }
      await delay(this.options.pauseMs);
    }
  }

  private async lookUp(): Promise<string> {
    const { status, text } = await withinOwnTime(CLIENT_TIMEOUT_MS, async (signal) => {
      const response = await fetch(`${this.url}/v1/rupa/lookup`, {
        method: 'POST',
        headers: { 'X-API-KEY': this.key, 'Content-Type': 'application/json', Connection: 'close' },
        body: JSON.stringify({ rupa_id: 'rp-1', sections: ['identity'] }),
        signal,
      });
      return { status: response.status, text: await response.text() };
    });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return (JSON.parse(text) as { data: { billing: { lookup_id: string } } }).data.billing.lookup_id;
  }
}

interface Parts {
  readonly postgres: OwnPostgres;
  readonly store: EventStoreProcess;
  readonly processes: Readonly<Record<'projector' | 'webhooks' | 'one' | 'other', TestService>>;
  readonly balancer: Balancer;
  /** The partner that looks up. */
  readonly bank: TestPartner;
  readonly load: LookupLoad;
}

/** Two APIs behind a balancer, a projector, a sender and stores of their own, with clients that look up the farmer rp-1 all the time. */
export interface ServiceUnderLoad extends Parts {
  /** Returns why lookups are not served in the meantime, one reason each, and writes a line with the figures to the file that WHAT_BREAKS names. */
  notServedDuring(name: string, trouble: () => Promise<void>): Promise<string[]>;
  /** Waits until both APIs are ready and every lookup is served again. */
  recovers(): Promise<void>;
  /** Sets the clock of the first API ahead of the true time. */
  setClockAhead(ms: number): void;
  close(): Promise<void>;
}

export async function startServiceUnderLoad(options = DENSE): Promise<ServiceUnderLoad> {
  const folder = mkdtempSync(join(tmpdir(), 'rupa-under-load-'));
  const clock = join(folder, 'clock');
  const setClockAhead = (ms: number): void => {
    writeFileSync(clock, String(ms));
  };
  setClockAhead(0);
  const parts = await startParts(clock, options);
  const { load, balancer, processes, store, postgres } = parts;
  return {
    ...parts,
    setClockAhead,
    notServedDuring: (name, trouble) => notServedDuring(load, name, trouble),
    recovers: async () => {
      await until(() => balancer.ready() === 2);
      await until(async () => {
        const failed = load.notServed.length;
        await load.serves();
        return load.notServed.length === failed;
      });
    },
    close: async () => {
      await load.stop();
      await balancer.close();
      await Promise.all(Object.values(processes).map((each) => each.stop()));
      await store.close();
      await postgres.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param clock the file with the milliseconds by which the first API's clock is ahead */
async function startParts(clock: string, options: LoadOptions): Promise<Parts> {
  const [postgres, store] = await Promise.all([startOwnPostgres(), startEventStoreProcess()]);
  const env = externalStores(store.connectionString, postgres.url);
  const start = (roles: string, more: Record<string, string> = {}) => startService({ ...env, ROLES: roles, ...more });
  const projector = await start('projector');
  const [webhooks, one, other] = await Promise.all([
    start('webhooks'),
    start('api', { NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_SHIFT: clock }),
    start('api'),
  ]);
  const balancer = await startBalancer([one, other]);
  await whenServed(() => admin(one, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
  const bank = await makePartner(one, { credit: 10_000_000 });
  const load = new LookupLoad(balancer.url, bank.key, options);
  await load.serves();
  return { postgres, store, processes: { projector, webhooks, one, other }, balancer, bank, load };
}

async function notServedDuring(load: LookupLoad, name: string, trouble: () => Promise<void>): Promise<string[]> {
  await load.serves();
  const [before, servedBefore, began] = [load.notServed.length, load.served, performance.now()];
  await trouble();
  const ended = performance.now();
  await load.serves();
  const failed = load.notServed.slice(before);
  const spanMs = Math.round((failed.at(-1)?.at ?? 0) - (failed[0]?.at ?? 0));
  const figures = [failed.length, load.served - servedBefore, spanMs, Math.round(ended - began)];
  if (process.env.WHAT_BREAKS) appendFileSync(process.env.WHAT_BREAKS, `| ${[name, ...figures].join(' | ')} |\n`);
  return failed.map(({ reason }) => reason);
}
