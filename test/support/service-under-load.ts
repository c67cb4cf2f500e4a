import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Balancer, startBalancer } from './balancer.js';
import { admin, makePartner, type TestPartner } from './client.js';
import { type EventStoreProcess, startEventStoreProcess } from './event-store-process.js';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.js';
import { startService, type TestService } from './service.js';
import { externalStores } from './shared-stores.js';
import { until } from './until.js';

const WORKERS = 4;
/** Responses to wait for before, during and after each trouble. */
const RESPONSES = 60;
const PAUSE_MS = 20;
/** How long a client waits for a response. */
const CLIENT_TIMEOUT_MS = 10_000;
const SHIFT = pathToFileURL(resolve('test/support/shift-clock.mjs')).href;

interface NotServed {
  readonly at: number;
  /** The response, or why there is none. */
  readonly reason: string;
}

/** Clients of one partner that look a farmer up without a pause, each over a new connection, and count what is not served. */
class LookupLoad {
  readonly lookupIds: string[] = [];
  readonly notServed: NotServed[] = [];
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
    while (!this.stopping.signal.aborted) {
      try {
        this.lookupIds.push(await this.lookUp());
      } catch (error) {
        this.notServed.push({ at: performance.now(), reason: String(error) });
        await delay(PAUSE_MS);
      }
    }
  }

  private async lookUp(): Promise<string> {
    const response = await fetch(`${this.url}/v1/rupa/lookup`, {
      method: 'POST',
      headers: { 'X-API-KEY': this.key, 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify({ rupa_id: 'rp-1', sections: ['identity'] }),
      signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    return (JSON.parse(text) as { data: { billing: { lookup_id: string } } }).data.billing.lookup_id;
  }
}

interface Parts {
  readonly folder: string;
  readonly postgres: OwnPostgres;
  readonly store: EventStoreProcess;
  readonly processes: Readonly<Record<'projector' | 'webhooks' | 'one' | 'other', TestService>>;
  readonly balancer: Balancer;
  readonly bank: TestPartner;
  readonly load: LookupLoad;
}

/** Two APIs behind a balancer, a projector, a sender and stores of their own, with clients that look up the farmer rp-1 all the time. */
export class ServiceUnderLoad {
  private constructor(private readonly parts: Parts) {}

  static async start(): Promise<ServiceUnderLoad> {
    const folder = mkdtempSync(join(tmpdir(), 'rupa-under-load-'));
    const [postgres, store] = await Promise.all([startOwnPostgres(), startEventStoreProcess()]);
    const clock = join(folder, 'clock');
    writeFileSync(clock, '0');
    const env = externalStores(store.connectionString, postgres.url);
    const start = (roles: string, more: Record<string, string> = {}) => startService({ ...env, ROLES: roles, ...more });
    const projector = await start('projector');
    const [webhooks, one, other] = await Promise.all([
      start('webhooks'),
      start('api', { NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_SHIFT: clock }),
      start('api'),
    ]);
    const balancer = await startBalancer([one, other]);
    await admin(one, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    const bank = await makePartner(one, { credit: 10_000_000 });
    const load = new LookupLoad(balancer.url, bank.key);
    await load.serves();
    return new ServiceUnderLoad({ folder, postgres, store, processes: { projector, webhooks, one, other }, balancer, bank, load });
  }

  get postgres(): OwnPostgres {
    return this.parts.postgres;
  }

  get store(): EventStoreProcess {
    return this.parts.store;
  }

  get processes(): Parts['processes'] {
    return this.parts.processes;
  }

  get balancer(): Balancer {
    return this.parts.balancer;
  }

  /** The partner that looks up. */
  get bank(): TestPartner {
    return this.parts.bank;
  }

  get load(): LookupLoad {
    return this.parts.load;
  }

  /** Returns why lookups are not served in the meantime, one reason each, and writes a line with the figures to the file that WHAT_BREAKS names. */
  async notServedDuring(name: string, trouble: () => Promise<void>): Promise<string[]> {
    const { load } = this;
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

  /** Waits until both APIs are ready and every lookup is served again. */
  async recovers(): Promise<void> {
    await until(() => this.balancer.ready() === 2);
    await until(async () => {
      const failed = this.load.notServed.length;
      await this.load.serves();
      return this.load.notServed.length === failed;
    });
  }

  /** Sets the clock of the first API ahead of the true time. */
  setClockAhead(ms: number): void {
    writeFileSync(join(this.parts.folder, 'clock'), String(ms));
  }

  async close(): Promise<void> {
    await this.load.stop();
    await this.balancer.close();
    await Promise.all(Object.values(this.processes).map((each) => each.stop()));
    await this.store.close();
    await this.postgres.close();
    rmSync(this.parts.folder, { recursive: true });
  }
}
