import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.js';
import { type Binaries, postgresBinaries } from './postgres-binaries.js';
import {
  ENVIRONMENT,
  FAST_SHUTDOWN,
  FAST_SHUTDOWN_TIMEOUT_MS,
  IMMEDIATE_SHUTDOWN,
  initialise,
  passwordFile,
  stopOrphan,
} from './postgres-cluster.js';
import { postgresUser } from './postgres-user.js';
import { type Identity, mayEnter } from './reach.js';

export interface PostgresOptions {
  /** An existing folder that nobody else uses meanwhile: it gets the cluster, its password and log, and binaries where needed. */
  readonly dataDir: string;
  /** A free one is chosen if none is given. */
  readonly port?: number;
}

export interface EmbeddedPostgres {
  readonly connectionString: string;
  readonly port: number;
  /** Resolves with the exit code when the server ends, for whatever reason. */
  readonly exited: Promise<number>;
  stop(): Promise<void>;
}

interface Cluster {
  readonly path: string;
  readonly logFile: string;
  readonly binaries: Binaries;
  readonly user: Identity;
}

interface Server {
  readonly process: ChildProcess;
  readonly exited: Promise<number>;
  readonly port: number;
}

const DATABASE = 'rupa';
const START_ATTEMPTS = 5;
const RETRY_DELAY_MS = 200;
/** Recovery after a crash is the long part, and a server that is killed in it begins it again. */
const START_TIMEOUT_MS = 300_000;
const POLL_MS = 20;

/**
 * Durability is PostgreSQL's default and stays. Its log keeps what happened to the server; errors and their statements, which hold
 * personal data, go to the client alone. Segments of its write-ahead log that are done with are deleted, not kept for their space: they
 * hold what has been erased since. A page read out of order costs what it does on a solid-state disk: with what PostgreSQL assumes of a
 * turning one, it reads the whole of a roster of ten thousand for two dozen of its rows.
 */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=256MB',
  'max_connections=100',
  'max_wal_size=2GB',
  'wal_recycle=off',
  'random_page_cost=1.1',
  'log_min_messages=log',
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
  'log_checkpoints=off',
].flatMap((setting) => ['-c', setting]);

/**
 * A PostgreSQL of our own on loopback with a database `rupa`. One that a killed process left behind on the folder is stopped first.
 * @throws Error that says what to do, or where the log lies.
 */
export async function startPostgres({ dataDir, port }: PostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepare(await realpath(dataDir));
  const password = await readFile(passwordFile(cluster.path), 'utf8');
  const url = (at: number, database: string): string => `postgres://postgres:${password}@127.0.0.1:${at}/${database}`;
  for (let attempt = 1; ; attempt += 1) {
    await stopOrphan(cluster.path);
    const server = launch(cluster, port ?? (await freePort()));
    try {
      await ready(server, cluster);
      await createDatabase(url(server.port, 'postgres'));
      return { connectionString: url(server.port, DATABASE), port: server.port, exited: server.exited, stop: () => stop(server) };
    } catch (error) {
      await stop(server);
      if (attempt === START_ATTEMPTS) throw error;
      // Somebody else took the port, or processes of a server that was killed are still ending.
      await delay(RETRY_DELAY_MS * attempt);
    }
  }
}

async function prepare(folder: string): Promise<Cluster> {
  const path = join(folder, 'postgres');
  const user = await postgresUser(path);
  if (user.uid !== undefined && !mayEnter(folder, user)) {
    throw new Error(
      `PostgreSQL cannot run as root, and its user may not enter ${folder}. Set DATA_DIR to a folder that every user may pass through.`,
    );
  }
  for (const entry of await readdir(folder)) {
    // Whoever still writes to one loses only what is thrown away.
    if (entry.includes('.unfinished-')) await rm(join(folder, entry), { recursive: true, force: true }).catch(() => undefined);
  }
  const binaries = await postgresBinaries(folder, user);
  if (!existsSync(path)) await initialise(binaries, user, path);
  return { path, logFile: join(folder, 'postgres.log'), binaries, user };
}

/**
 * In a process group of its own: Ctrl-C in a terminal must reach the service, which stops PostgreSQL when it is done with it.
 * The log is a file: a pipe would break with the service.
 */
function launch({ path, logFile, binaries, user }: Cluster, port: number): Server {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const options = { ...user, cwd: '/', env: ENVIRONMENT, detached: true, stdio: ['ignore', log, log] as ['ignore', number, number] };
    const server = spawn(binaries.postgres, ['-D', path, '-p', String(port), ...SETTINGS], options);
    const exited = new Promise<number>((resolve) => {
      server.once('exit', (code) => {
        resolve(code ?? 1);
      });
      server.once('error', () => {
        resolve(1);
      });
    });
    return { process: server, exited, port };
  } finally {
    closeSync(log);
  }
}

async function ready(server: Server, { path, logFile }: Cluster): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const ended = server.exited.then(() => true);
  while (!(await saysReady(server, path))) {
    if (await Promise.race([ended, delay(POLL_MS, false)])) throw new Error(`PostgreSQL ended while it was starting: see ${logFile}.`);
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not start in time: see ${logFile}.`);
  }
}

/** The eighth line of its pid file is its status. */
async function saysReady(server: Server, cluster: string): Promise<boolean> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[0] === String(server.process.pid) && lines[7]?.trim() === 'ready';
}

async function createDatabase(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function stop(server: Server): Promise<void> {
  server.process.kill(FAST_SHUTDOWN);
  const timer = setTimeout(() => server.process.kill(IMMEDIATE_SHUTDOWN), FAST_SHUTDOWN_TIMEOUT_MS);
  await server.exited;
  clearTimeout(timer);
}
