import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findRunning, openDataFolder } from '../../embedded/data-folder.js';
import { readOrCreateSecrets } from '../../embedded/generated-secrets.js';
import { stopOrphan } from '../../embedded/postgres-cluster.js';
import { type NodeProcess, startScript } from '../support/node-process.js';

const HOLD = `
  const { openDataFolder } = await dist('embedded/data-folder.js');
  const folder = await openDataFolder(process.argv[1]);
  await folder.announce({ address: 'http://127.0.0.1:3000' });
  console.log('held');
`;
const RUN = `
  const { startEmbedded } = await dist('embedded/runtime.js');
  const [, dataDir, eventStore] = process.argv;
  const runtime = await startEmbedded({ dataDir, eventStore: eventStore === 'yes', postgres: true }).catch((error) => {
    console.log('refused: ' + error.message);
    // Only a store that is still running can keep the process alive now.
    process.stdin.destroy();
  });
  if (runtime === undefined) return;
  await runtime.announce('http://127.0.0.1:3000');
  console.log('running');
  runtime.failed.then((sentence) => console.log(sentence));
  process.once('SIGTERM', async () => {
    await runtime.stop();
    process.exit(0);
  });
`;

let root: string;
let dataDir: string;
let processes: NodeProcess[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'data-folder-'));
  chmodSync(root, 0o711);
  dataDir = join(root, 'data');
  processes = [];
});

afterEach(async () => {
  for (const started of processes) await started.kill();
  await stopServer();
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

function start(script: string, ...args: string[]): NodeProcess {
  const started = startScript(script, [dataDir, ...args]);
  processes.push(started);
  return started;
}

/** Stops a PostgreSQL server that outlived its process. */
async function stopServer(): Promise<void> {
  await stopOrphan(join(dataDir, 'postgres'));
}

async function databaseName(url: string | undefined): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    return rows[0]?.name;
  } finally {
    await client.end();
  }
}

describe('a data folder that a process holds', () => {
  it('is refused to a second process, with the id of the first', async () => {
    const holder = start(HOLD);
    await holder.line();
    await expect(openDataFolder(dataDir)).rejects.toThrow(
      `${dataDir} is in use by process ${holder.pid}. Stop that one first, or set DATA_DIR to another folder.`,
    );
  });

  it('tells the command line the address of the service', async () => {
    const holder = start(HOLD);
    await holder.line();
    expect(await findRunning(dataDir)).toMatchObject({ pid: holder.pid, address: 'http://127.0.0.1:3000' });
  });

  it('is free once the process was killed, and no service is found', async () => {
    const holder = start(HOLD);
    await holder.line();
    await holder.kill();
    expect(existsSync(join(dataDir, 'running.json'))).toBe(true);
    expect(await findRunning(dataDir)).toBeUndefined();
    const folder = await openDataFolder(dataDir);
    await folder.release();
    expect(existsSync(join(dataDir, 'holder'))).toBe(false);
  });
});

describe('the embedded stores', () => {
  it('start together, can be found, and release the folder when they stop', async () => {
    const service = start(RUN, 'yes');
    expect(await service.line()).toBe('running');
    const running = await findRunning(dataDir);
    expect(running?.eventStoreUrl).toMatch(/^esdb:\/\/127\.0\.0\.1:\d+/);
    expect(await databaseName(running?.databaseUrl)).toBe('rupa');
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(existsSync(join(dataDir, 'running.json'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
    const folder = await openDataFolder(dataDir);
    await folder.release();
  });

  it('leave nothing running and release the folder when the event store cannot start', async () => {
    mkdirSync(dataDir, { mode: 0o711 });
    await readOrCreateSecrets(join(dataDir, 'secrets.json'));
    writeFileSync(join(dataDir, 'event-store'), 'no folder');
    const service = start(RUN, 'yes');
    expect(await service.line()).toMatch(/^refused: EEXIST/);
    expect(await service.ended).toBe(0);
    expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  it('leave nothing running and release the folder when PostgreSQL cannot start', async () => {
    mkdirSync(dataDir, { mode: 0o711 });
    await readOrCreateSecrets(join(dataDir, 'secrets.json'));
    writeFileSync(join(dataDir, 'postgres.password'), 'no cluster');
    writeFileSync(join(dataDir, 'postgres'), 'no folder');
    const service = start(RUN, 'yes');
    expect(await service.line()).toMatch(/^refused: PostgreSQL ended while it was starting: see .*postgres\.log\.$/);
    expect(await service.ended).toBe(0);
    const folder = await openDataFolder(dataDir);
    await folder.release();
  });

  it('report which of them died', async () => {
    const service = start(RUN, 'no');
    await service.line();
    await stopServer();
    expect(await service.line()).toMatch(/^The embedded PostgreSQL ended \(0\): see postgres\.log in /);
  });
});
