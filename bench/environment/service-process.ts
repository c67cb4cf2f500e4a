import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StoreAddresses } from '../../src/stores/stores.js';
import { type CleanUp } from '../support/clean-up.js';
import { compiled, startServer, type Started } from '../support/child-programs.js';

/** The service as `npm start` runs it: with all limits, the hash chain, encryption, validation and the log of production. */
export interface BenchService extends Started {
  readonly url: string;
  readonly dataDir: string;
  readonly stores: StoreAddresses;
  readonly adminToken: string;
  /** Path of the log file. */
  readonly log: string;
}

/** Settings of the service. Rate limits are on but never reached: all load comes from one address, in some scenarios from one partner. */
export const SERVICE_ENV = {
  DEMO: 'false',
  PORT: '0',
  LOG_LEVEL: 'info',
  RATE_LIMIT_LIVE_PER_SECOND: '1000000',
  RATE_LIMIT_SANDBOX_PER_SECOND: '1000000',
};

export interface ServiceOptions {
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node, such as a module to preload. */
  readonly nodeArgs?: readonly string[];
}

export async function startService(
  cleanUp: CleanUp,
  { dataDir = cleanUp.folder(), env = {}, nodeArgs = [] }: ServiceOptions = {},
): Promise<BenchService> {
  const log = join(dataDir, 'service.log');
  // For profiling, such as BENCH_NODE_ARGS='--cpu-prof --cpu-prof-dir=/somewhere'.
  const profiling = (process.env.BENCH_NODE_ARGS ?? '').split(' ').filter((arg) => arg !== '');
  const { found: url, ...started } = await startServer(cleanUp, {
    args: ['--enable-source-maps', compiled('src/main.js')],
    env: { DATA_DIR: dataDir, ...SERVICE_ENV, ...env },
    signal: 'SIGINT',
    ready: /Rupa is up: +(\S+)/,
    log,
    nodeArgs: [...profiling, ...nodeArgs],
  });
  const stores = storesOf(dataDir);
  return { ...started, url, dataDir, log, stores, adminToken: stores.adminToken };
}

/** Returns the addresses of the stores of a running service, as the command line finds them. */
function storesOf(dataDir: string): StoreAddresses {
  const read = (file: string): Record<string, string> => JSON.parse(readFileSync(join(dataDir, file), 'utf8')) as Record<string, string>;
  const { eventStoreUrl = '', databaseUrl = '' } = read('running.json');
  const { masterKey = '', adminToken = '', auditorToken = '' } = read('secrets.json');
  return { eventStoreUrl, databaseUrl, masterKey, adminToken, auditorToken };
}
