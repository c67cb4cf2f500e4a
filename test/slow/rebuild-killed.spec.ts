import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import pg from 'pg';
import { findRunning } from '../../embedded/data-folder.js';
import { demoLog, rupa } from '../support/rupa.js';
import { startService, temporaryDataDir, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const CLI = resolve('dist/src/cli.js');
const EVENTS = 6_000;
const KILLS = Number(process.env.KILLS ?? 8);

describe('a rebuild that is killed', () => {
  const folder = temporaryDataDir();
  let service: TestService;
  let db: pg.Client;

  beforeAll(async () => {
    expect(await demoLog(folder.dataDir, ['--events', String(EVENTS)])).toMatchObject({ code: 0 });
    service = await startService({ DATA_DIR: folder.dataDir });
    await connect();
  });
  afterAll(async () => {
    await db.end();
    await service.stop();
    await folder.release();
  });

  async function connect(): Promise<void> {
    const running = await findRunning(folder.dataDir);
    db = new pg.Client(running?.databaseUrl);
    await db.connect();
  }
  const schemas = async (): Promise<string[]> =>
    (await db.query<{ nspname: string }>("select nspname from pg_namespace where nspname like 'rebuild%'")).rows.map(
      ({ nspname }) => nspname,
    );
  const rows = async (schema: string | undefined): Promise<number> =>
    (
      await db
        .query<{ rows: number }>(`select count(*)::int as rows from ${schema ?? 'read'}.wallet_entry`)
        .catch(() => ({ rows: [{ rows: 0 }] }))
    ).rows[0]?.rows ?? 0;

  async function expectDone(command: string): Promise<void> {
    const { code, err } = await rupa(folder.dataDir, ['projections', command, '--all']);
    expect([code, code === 0 ? '' : err]).toStrictEqual([0, '']);
  }

  /**
   * Kills a rebuild once it has written this many rows to its shadow schema, or for 0 once the schema exists. Returns false if it ended
   * before.
   */
  async function killedAt(written: number): Promise<boolean> {
    const rebuilding = spawn(process.execPath, [CLI, 'projections', 'rebuild', '--all'], {
      env: { ...process.env, DATA_DIR: folder.dataDir },
      stdio: 'ignore',
    });
    const exited = once(rebuilding, 'exit').then(() => 'exited');
    const reached = until(async () => {
      if (rebuilding.exitCode !== null) return 'exited';
      const [schema] = await schemas();
      return schema !== undefined && (written === 0 || (await rows(schema)) >= written) ? 'reached' : undefined;
    });
    if ((await Promise.race([exited, reached])) === 'exited') return false;
    rebuilding.kill('SIGKILL');
    await exited;
    // It may have ended by itself before it got the signal.
    return rebuilding.signalCode === 'SIGKILL';
  }

  it('leaves the live read models intact, and nothing that the next rebuild does not remove', async () => {
    const all = await rows(undefined);
    expect(all).toBeGreaterThan(0);
    let killed = 0;
    for (let n = 0; n < KILLS; n += 1) if (await killedAt(Math.round((all * n) / KILLS))) killed += 1;
    // On a busy machine, each of these may have ended before it was found to have got so far.
    while (killed === 0) if (await killedAt(0)) killed += 1;
    expect((await schemas()).length).toBeLessThanOrEqual(1);
    expect(await rows(undefined)).toBe(all);
    await expectDone('verify');
    await expectDone('rebuild');
    expect(await schemas()).toStrictEqual([]);
    await expectDone('verify');
    expect((await db.query('select from ops.rebuild')).rowCount).toBe(0);
  });

  it('is also cleaned up by the next start', async () => {
    await until(async () => (await killedAt(1)) && (await schemas()).length === 1);
    await db.end();
    await service.interrupt();
    await service.restart();
    await connect();
    await until(async () => (await schemas()).length === 0);
  });
});
