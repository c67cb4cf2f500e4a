import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { endWithThisProcess } from './end-with-this-process.js';
import { freePort } from './starting.js';
import { until } from './until.js';

export interface PgBouncer {
  /** The URL of the database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** @param settings of the section [pgbouncer], beside those that say where it listens */
export async function startPgBouncer(databaseUrl: string, settings: Readonly<Record<string, string | number>>): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'rupa-pgbouncer-'));
  const port = await freePort();
  const file = (name: string, lines: readonly string[]): string => {
    const path = join(folder, name);
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  };
  const users = file('users.txt', [`"${username}" "${decodeURIComponent(password)}"`]);
  const listening = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'scram-sha-256', auth_file: users };
  const config = file('pgbouncer.ini', [
    '[databases]',
    `* = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    ...Object.entries({ ...listening, ...settings }).map(([name, value]) => `${name} = ${value}`),
  ]);
  // As root, PgBouncer starts only for another user, who must be able to read its files.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chmodSync(folder, 0o755);
  const child = spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), config], { stdio: ['ignore', 'ignore', 'pipe'] });
  endWithThisProcess(child);
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const url = new URL(databaseUrl);
  [url.hostname, url.port] = ['127.0.0.1', String(port)];
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer did not start:\n${log}`);
    return await accepts(url.href);
  });
  return { url: url.href, stop: () => end(child, folder) };
}

async function accepts(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  const isConnected = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end().catch(() => undefined);
  return isConnected;
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
}
