import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Binaries, postgresBinaries } from './postgres-binaries.js';
import {
  ENVIRONMENT,
  FAST_SHUTDOWN,
  FAST_SHUTDOWN_TIMEOUT_MS,
  IMMEDIATE_SHUTDOWN,
  initialiseCluster,
  passwordFile,
  stopOrphan,
} from './postgres-cluster.js';
import { giveTo, postgresUser } from './postgres-user.js';
import { type Identity, mayEnter } from './folder-access.js';
import { quoted } from './folder-safety.js';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface PostgresOptions {
  /** An existing folder, locked by the caller. It holds the cluster, its password, its log and, where needed, a copy of the programs. */
  readonly dataDir: string;
  /** Port to listen on; by default a free one is chosen. */
  readonly port?: number;
  /** Connections that the server accepts at once; 100 by default. */
  readonly maxConnections?: number;
}

export interface EmbeddedPostgres {
  readonly connectionString: string;
  readonly port: number;
  /** Resolves with the exit code when the server ends for any reason. */
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
/** Long enough for recovery after a crash: a server that is killed during recovery has to start it again. */
const START_TIMEOUT_MS = 300_000;
const MAX_CONNECTIONS = 100;
const POLL_MS = 20;
/** PostgreSQL refuses a cluster whose mode has one of these bits. */
const CLOSED_TO = 0o027;

/**
 * Settings that differ from PostgreSQL's defaults; durability stays at the default.
 * - The server's log records the server's own events. Errors and their statements hold personal data and go to the client only.
 * - `wal_recycle=off` deletes old segments of the write-ahead log instead of reusing them, because they hold data that was erased since.
 * - `random_page_cost=1.1` fits a solid-state disk. With the default for a spinning disk PostgreSQL reads a whole roster of ten thousand
 *   rows to find two dozen of them.
 */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=256MB',
  'max_wal_size=2GB',
  'wal_recycle=off',
  'random_page_cost=1.1',
  'log_min_messages=log',
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
  'log_checkpoints=off',
].flatMap((setting) => ['-c', setting]);

/**
 * Starts PostgreSQL on loopback with a database `rupa`. A server that a killed process left running on the folder is stopped first.
 * @throws Error that says what to do, or where the log is.
 */
export async function startPostgres({ dataDir, port, maxConnections = MAX_CONNECTIONS }: PostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(await realpath(dataDir));
  const password = await readFile(passwordFile(cluster.path), 'utf8');
  const url = (at: number, database: string): string => `postgres://postgres:${password}@127.0.0.1:${at}/${database}`;
  for (let attempt = 1; ; attempt += 1) {
    await stopOrphan(cluster.path);
    const server = launch(cluster, port ?? (await freePort()), maxConnections);
    try {
      await waitUntilReady(server, cluster);
      await createDatabase(url(server.port, 'postgres'));
      return { connectionString: url(server.port, DATABASE), port: server.port, exited: server.exited, stop: () => stop(server) };
    } catch (error) {
      await stop(server);
      if (attempt === START_ATTEMPTS) throw error;
      // Another program took the port, or processes of a killed server are still ending.
      await delay(RETRY_DELAY_MS * attempt);
    }
  }
}

async function prepareCluster(folder: string): Promise<Cluster> {
  const path = join(folder, 'postgres');
  const user = await postgresUser(path);
  if (user.uid !== undefined && !mayEnter(folder, user)) {
    const mend = mayEnter(dirname(folder), user)
      ? `Run: chmod 711 ${quoted(folder)}`
      : 'Set DATA_DIR to a folder that every user may traverse.';
    throw new Error(`PostgreSQL cannot run as root, and its user may not enter ${folder}. ${mend}`);
  }
  for (const entry of await readdir(folder)) {
    // An interrupted attempt left this folder. A process that still writes to it loses nothing that is used.
    if (entry.includes('.unfinished-')) await rm(join(folder, entry), { recursive: true, force: true }).catch(() => undefined);
  }
  const binaries = await postgresBinaries(folder, user);
  if (existsSync(path)) await restoreAccess(path, user);
  else await initialiseCluster(binaries, user, path);
  return { path, logFile: join(folder, 'postgres.log'), binaries, user };
}

/** A copy of the cluster may have lost its owner and its mode, without which PostgreSQL refuses it: `cp -r` as root keeps neither. */
async function restoreAccess(cluster: string, user: Identity): Promise<void> {
  const found = await stat(cluster);
  if (!found.isDirectory()) return;
  const { uid, mode } = found;
  if (user.uid !== undefined && uid !== user.uid) await giveTo(user, cluster);
  if ((mode & CLOSED_TO) !== 0) await chmod(cluster, 0o700);
}

/**
 * Spawns the server in a process group of its own. Ctrl-C in a terminal must reach the service only, which stops PostgreSQL once it no
 * longer needs it. The server logs to a file, because a pipe would break when the service ends.
 */
function launch({ path, logFile, binaries, user }: Cluster, port: number, maxConnections: number): Server {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const options = { ...user, cwd: '/', env: ENVIRONMENT, detached: true, stdio: ['ignore', log, log] as ['ignore', number, number] };
    const server = spawn(
      binaries.postgres,
      ['-D', path, '-p', String(port), '-c', `max_connections=${maxConnections}`, ...SETTINGS],
      options,
    );
    const exited = new Promise<number>((resolve) => {
      server.once('exit', (code) => {
        resolve(code ?? 1);
      });
      server.once('error', () => {
        resolve(1);
      });
    });
    if (server.pid !== undefined) endWithThisProcess(server, server.pid, user);
    return { process: server, exited, port };
  } finally {
    closeSync(log);
  }
}

/**
 * Starts a shell that stops the server when this process ends, however it ends: its standard input then ends, too. Without it the server of
 * a process that was killed would run until the next start.
 */
function endWithThisProcess(server: ChildProcess, pid: number, user: Identity): void {
  const options = {
    ...user,
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'] as ['pipe', 'ignore', 'ignore'],
  };
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$0"', String(pid)], options);
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  server.once('exit', () => guard.kill('SIGKILL'));
}

async function waitUntilReady(server: Server, { path, logFile }: Cluster): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const ended = server.exited.then(() => true);
  while (!(await isReady(server, path))) {
    if (await Promise.race([ended, delay(POLL_MS, false)])) throw new Error(`PostgreSQL ended while it was starting: see ${logFile}.`);
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not start in time: see ${logFile}.`);
  }
}

/** Reads the server's status from the eighth line of its pid file. */
async function isReady(server: Server, cluster: string): Promise<boolean> {
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

/** Returns a port that is free on loopback at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
