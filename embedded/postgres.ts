import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Binaries, postgresBinaries } from './postgres-binaries.js';
import { postgresUser, type PostgresUser } from './postgres-user.js';

export interface PostgresOptions {
  /** Holds the cluster, and a copy of the binaries where PostgreSQL's user could not reach them. */
  readonly dataDir: string;
  readonly password: string;
}

export interface EmbeddedPostgres {
  readonly connectionString: string;
  /** Resolves with the exit code when the server ends. */
  readonly exited: Promise<number>;
  stop(): Promise<void>;
}

const DATABASE = 'rupa';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const START_ATTEMPTS = 3;

/** Statements and their parameters stay out of the server's log: they hold personal data. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=256MB',
  'max_connections=100',
  'max_wal_size=2GB',
  'log_min_error_statement=panic',
  'log_min_messages=warning',
].flatMap((setting) => ['-c', setting]);

const run = promisify(execFile);

/** A PostgreSQL of our own on loopback, durable as it comes. One that an earlier process left behind is stopped first. */
export async function startPostgres({ dataDir, password }: PostgresOptions): Promise<EmbeddedPostgres> {
  const user = await postgresUser();
  const binaries = await postgresBinaries(dataDir, user);
  const cluster = join(dataDir, 'postgres');
  if (!existsSync(cluster)) await initialise(binaries, user, cluster, password);
  await stopOrphan(cluster);
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const server = launch(binaries, user, cluster, port, join(dataDir, 'postgres.log'));
    try {
      await ready(server, port, password);
      return embedded(server, port, password);
    } catch (error) {
      await stop(server);
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}

function embedded(server: ChildProcess, port: number, password: string): EmbeddedPostgres {
  return {
    connectionString: connectionString(port, password, DATABASE),
    exited: exit(server),
    stop: () => stop(server),
  };
}

/** In a folder that gets its name last: an initdb that was killed half-way is begun again. */
async function initialise(binaries: Binaries, user: PostgresUser, cluster: string, password: string): Promise<void> {
  const unfinished = `${cluster}.unfinished`;
  const passwordFile = `${cluster}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    await chown(unfinished, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const options = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
  try {
    await run(binaries.initdb, [`--pgdata=${unfinished}`, ...options], { ...user, cwd: '/' });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(unfinished, cluster);
}

/** In a process group of its own: Ctrl-C in a terminal must reach the service, which stops PostgreSQL when it is done with it. */
function launch(binaries: Binaries, user: PostgresUser, cluster: string, port: number, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(binaries.postgres, ['-D', cluster, '-p', String(port), ...SETTINGS], { ...user, cwd: '/', detached: true, stdio: ['ignore', log, log] });
  } finally {
    closeSync(log);
  }
}

async function ready(server: ChildProcess, port: number, password: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let lastError: unknown;
  while (Date.now() < deadline) {
    if (server.exitCode !== null) throw new Error('PostgreSQL ended while it was starting: see postgres.log in the data folder.', { cause: lastError });
    const client = new pg.Client({ connectionString: connectionString(port, password, 'postgres') });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`create database ${DATABASE}`);
      return;
    } catch (error) {
      lastError = error;
      await delay(POLL_MS);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error('PostgreSQL did not start in time: see postgres.log in the data folder.', { cause: lastError });
}

/** A fast shutdown: open transactions are rolled back, what is committed stays. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGINT');
  await exit(server);
}

async function exit(server: ChildProcess): Promise<number> {
  if (server.exitCode !== null) return server.exitCode;
  const [code] = (await once(server, 'exit')) as [number | null];
  return code ?? 1;
}

async function stopOrphan(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const text = await readFile(pidFile, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const pid = Number(text.split('\n')[0]);
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (await isServerOf(pid, cluster)) {
    if (Date.now() > deadline) throw new Error(`A PostgreSQL (process ${pid}) from an earlier run does not stop. End it, then start again.`);
    process.kill(pid, 'SIGINT');
    await delay(POLL_MS);
  }
  // A process that got the same number later would keep PostgreSQL from starting.
  await rm(pidFile, { force: true });
}

async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).catch(async () => ({
    stdout: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' '),
  }));
  return stdout.includes(cluster);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function connectionString(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}
