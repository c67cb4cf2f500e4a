import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startPostgres } from '../../embedded/postgres.js';
import { stopOrphan } from '../../embedded/postgres-cluster.js';
import { startScript } from '../support/node-process.js';
import { until } from '../support/until.js';

let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(realpathSync(tmpdir()), 'embedded-postgres-'));
  chmodSync(dataDir, 0o711);
  await withPostgres((url) => query(url, "create table kept as select 'still here' as text"));
});

afterAll(async () => {
  await stopOrphan(join(dataDir, 'postgres'));
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
});

async function withPostgres<T>(use: (url: string) => Promise<T>): Promise<T> {
  const server: EmbeddedPostgres = await startPostgres({ dataDir });
  return await use(server.connectionString).finally(() => server.stop());
}

async function query(connectionString: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    return (await client.query<{ text: string }>(sql)).rows[0]?.text;
  } finally {
    await client.end();
  }
}

function pidFile(): string {
  return join(dataDir, 'postgres', 'postmaster.pid');
}

/** Returns undefined while the file is still empty: a pid of zero would stand for this process's own group, which never ends. */
function postmasterPid(): number | undefined {
  return Number(readFileSync(pidFile(), 'utf8').split('\n')[0]) || undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const STARTED = 'const server = await startPostgres(options);';
const STARTING = 'void startPostgres(options); while (!existsSync(pidFile)) await new Promise((resolve) => setTimeout(resolve, 1));';

describe('the embedded PostgreSQL whose process ends without stopping it', () => {
  it.each([
    ['by a forced exit', STARTED, 'process.exit(3)'],
    ['by an uncaught error', STARTED, "throw new Error('uncaught')"],
    ['by an unhandled rejection', STARTED, "void Promise.reject(new Error('unhandled'))"],
    ['by a forced exit during a stop', STARTED, 'void server.stop(); process.exit(3)'],
    ['by a forced exit during the start', STARTING, 'process.exit(3)'],
  ])('ends, too, and keeps the data: %s', async (_name, start, end) => {
    const host = startScript(
      `const { startPostgres } = await dist('embedded/postgres.js');
      const { existsSync } = await import('node:fs');
      const [dataDir, pidFile] = process.argv.slice(1);
      const options = { dataDir };
      ${start}
      process.stdin.on('data', () => { ${end}; });
      console.log('up');`,
      [dataDir, pidFile()],
    );
    try {
      expect(await host.line()).toBe('up');
      const pid = await until(postmasterPid);
      host.process.stdin?.write('end');
      expect(await host.ended).not.toBe(0);
      await until(() => !isAlive(pid));
    } finally {
      await host.kill();
    }
    expect(await withPostgres((url) => query(url, 'select text from kept'))).toBe('still here');
  });

  it.each([
    ['empty', ''],
    ['of a process that no longer runs', '2147483647\n'],
  ])('starts again over a pid file that is %s', async (_name, content) => {
    writeFileSync(pidFile(), content);
    expect(await withPostgres((url) => query(url, 'select text from kept'))).toBe('still here');
  });
});
