import { join } from 'node:path';
import { startPostgres, freePort } from '../../embedded/postgres.js';
import { type CleanUp } from '../support/clean-up.js';
import { compiled, run, startServer } from '../support/child-programs.js';
import { type BalancedLoad } from '../workers/balanced-clients.js';
import { createPartners, untilCaughtUp } from './calls.js';
import { requireDurable, writeCheckpoints } from './database.js';
import { importFarmers, linesFile } from './farmers.js';
import { SERVICE_ENV } from './service-process.js';

const SECRETS = {
  MASTER_KEY: `k1:${Buffer.alloc(32, 3).toString('base64')}`,
  ADMIN_TOKEN: 'an-administrator-of-the-bench',
  AUDITOR_TOKEN: 'an-auditor-of-the-bench-too',
};

export type Balance = 'round-robin' | 'hash';

interface Api {
  readonly url: string;
  readonly metricsUrl: string;
}

export interface ApisLoad {
  /** The load goes to this many of the APIs; the others idle. */
  readonly apis: number;
  /** Index of the first of them; 0 by default. */
  readonly first?: number;
  readonly balance: Balance;
  readonly partners: number;
  readonly seconds: number;
  readonly connections?: number;
  /** Lookups begun per second; undefined for as many as the connections carry. */
  readonly rate?: number;
}

export interface MeasuredApis extends BalancedLoad {
  readonly perSecond: number;
  readonly conflictsPerAppend: number;
}

/** Processes with the role api, beside one process with the other roles, on an event store and a PostgreSQL of their own. */
export class ApiProcesses {
  private constructor(
    private readonly cleanUp: CleanUp,
    private readonly apis: readonly Api[],
    private readonly databaseUrl: string,
    private readonly keys: readonly string[],
    private readonly idsFile: string,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(
    cleanUp: CleanUp,
    sizes: { readonly apis: number; readonly partners: number; readonly farmers: number },
  ): Promise<ApiProcesses> {
    const folder = cleanUp.folder();
    const store = await startServer(cleanUp, {
      args: [compiled('embedded/event-store/main.js'), '--data-dir', join(folder, 'event-store')],
      env: {},
      signal: 'SIGTERM',
      ready: /"connectionString":"([^"]+)"/,
      log: join(folder, 'event-store.log'),
    });
    const postgres = await startPostgres({ dataDir: folder, maxConnections: 400 });
    const stopPostgres = cleanUp.add(() => postgres.stop());
    await requireDurable(postgres.connectionString);
    const stops: (() => Promise<void>)[] = [];
    const env = { EVENT_STORE_URL: store.found, DATABASE_URL: postgres.connectionString, DATA_DIR: folder, ...SECRETS };
    const start = async (name: string, more: Readonly<Record<string, string>>): Promise<string> => {
      const { found, stop } = await startServer(cleanUp, {
        args: ['--enable-source-maps', compiled('src/main.js')],
        env: { ...SERVICE_ENV, ...env, ...more },
        signal: 'SIGINT',
        ready: /Rupa is up: +(\S+)/,
        log: join(folder, `${name}.log`),
      });
      stops.push(stop);
      return found;
    };
    await start('background', { ROLES: 'projector,webhooks' });
    const apis: Api[] = [];
    for (let count = 0; count < sizes.apis; count += 1) {
      const metricsPort = await freePort();
      const url = await start(`api-${count}`, { ROLES: 'api', METRICS_PORT: String(metricsPort) });
      apis.push({ url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` });
    }
    const ids = await importFarmers(cleanUp, folder, sizes.farmers, { env });
    const partners = await createPartners({ url: apis[0]?.url ?? '', adminToken: SECRETS.ADMIN_TOKEN }, sizes.partners);
    return new ApiProcesses(
      cleanUp,
      apis,
      postgres.connectionString,
      partners.map(({ key }) => key),
      linesFile(cleanUp, ids),
      async () => {
        for (const stop of stops) await stop();
        await store.stop();
        await stopPostgres();
      },
    );
  }

  /** Puts a load on some of the APIs, and returns once the read models show its lookups. @throws Error if a lookup fails */
  async measure({ apis, first = 0, balance, partners, seconds, connections = 64, rate = 0 }: ApisLoad): Promise<MeasuredApis> {
    const loaded = this.apis.slice(first, first + apis);
    await writeCheckpoints([this.databaseUrl]);
    const before = await this.appends();
    const args = Object.entries({
      urls: loaded.map(({ url }) => url).join(','),
      balance,
      keys: linesFile(this.cleanUp, this.keys.slice(0, partners)),
      ids: this.idsFile,
      connections,
      seconds,
      rate,
    }).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const load = JSON.parse(
      await run(this.cleanUp, process.execPath, [compiled('bench/workers/balanced-clients.js'), ...args]),
    ) as BalancedLoad;
    const after = await this.appends();
    for (const { url } of loaded) await untilCaughtUp({ url, adminToken: SECRETS.ADMIN_TOKEN });
    if (Object.keys(load.failed).length > 0) throw new Error(`Lookups got other statuses than 200: ${JSON.stringify(load.failed)}.`);
    return {
      ...load,
      perSecond: load.served.reduce((sum, count) => sum + count, 0) / load.seconds,
      conflictsPerAppend: (after.conflicts - before.conflicts) / (after.appends - before.appends),
    };
  }

  /** Returns how many appends to wallets the APIs have made so far, and how many of them failed with a wrong revision. */
  private async appends(): Promise<{ appends: number; conflicts: number }> {
    const texts = await Promise.all(this.apis.map(async ({ metricsUrl }) => await (await fetch(metricsUrl)).text()));
    const sum = (metric: string): number =>
      texts.reduce(
        (total, text) => total + Number(new RegExp(`^${metric}\\{[^}]*category="wallet"[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0),
        0,
      );
    return { appends: sum('rupa_append_duration_seconds_count'), conflicts: sum('rupa_append_conflicts_total') };
  }
}
