import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/stores/migrations.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { copyTracked, type LongRecipe, paste, pasteWithoutWaiting, recipe, recipeNames } from '../support/recipes.js';
import { run } from '../support/rupa.js';
import { temporaryDataDir } from '../support/service.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

const PAGE = 'docs/operations.md';
const PROJECTION = 'projections/webhook-endpoint/webhook-endpoint.projection.ts';
const pasted = new Set<string>();
const commands = (name: string): string => {
  pasted.add(name);
  return recipe(PAGE, name);
};

describe('the recipes of docs/operations.md, in a clone with embedded stores,', () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'rupa-recipes-'));
  const data = temporaryDataDir();
  const [origin, clone] = [join(folder, 'origin'), join(folder, 'clone')];
  const env: Record<string, string> = {
    DATA_DIR: join(data.dataDir, 'live'),
    DEMO: 'true',
    RELEASE: 'v2',
    PREVIOUS: 'v1',
    BACKUP: join(data.dataDir, 'backup'),
  };
  let service: LongRecipe | undefined;
  /** The read model's version in the newer release. */
  let version: number;

  const git = async (...args: string[]): Promise<void> => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'init.defaultBranch=main'];
    expect(await run('git', [...identity, '-C', origin, ...args])).toMatchObject({ code: 0 });
  };
  const done = async (name: string): Promise<string> => {
    const { code, out, err } = await paste(commands(name), { folder: clone, env });
    expect([name, code, code === 0 ? '' : out + err]).toStrictEqual([name, 0, '']);
    return out + err;
  };
  /** Lets `npm ci` copy this project's packages: the `npm ci` of this project shows that they can be installed. */
  const installByCopying = async (): Promise<void> => {
    const npm = (await run('sh', ['-c', 'command -v npm'])).out.trim();
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const copy = 'rm -rf node_modules && { cp -al "$PACKAGES" node_modules 2>/dev/null || cp -a "$PACKAGES" node_modules; }';
    const script = `#!/bin/sh\n[ "$1" != ci ] || { cmp package-lock.json "$PACKAGES/../package-lock.json" && ${copy}; exit; }\nexec '${npm}' "$@"\n`;
    writeFileSync(join(bin, 'npm'), script, { mode: 0o755 });
    env.PACKAGES = join(process.cwd(), 'node_modules');
    env.PATH = `${bin}:${process.env.PATH ?? ''}`;
  };
  const start = async (text: string): Promise<void> => {
    const starting = pasteWithoutWaiting(text, { folder: clone, env });
    service = starting;
    let hasEnded = false;
    void starting.ended.then(() => (hasEnded = true));
    await until(() => {
      if (hasEnded) throw new Error(starting.output());
      return starting.output().includes('Rupa is up');
    });
  };
  const stop = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };
  const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${env.PORT}/health/ready`)).status === 200;

  beforeAll(async () => {
    env.PORT = String(await freePort());
    mkdirSync(origin);
    await copyTracked(origin);
    await git('init', '--quiet');
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'One release');
    await git('tag', 'v1');
    expect(await run('git', ['clone', '--quiet', origin, clone])).toMatchObject({ code: 0 });
    // npm removes this folder before it installs another one, so the files may be shared with this project.
    expect(await run('sh', ['-c', 'cp -al node_modules "$0" 2>/dev/null || cp -a node_modules "$0"', clone])).toMatchObject({ code: 0 });
    // The older release has this project's sources, so its build is that of this project. The upgrade builds the newer one.
    const copyBuild = 'mkdir "$0/.build" && cp -a "$(readlink -f dist)" .build/sdk-*.tgz "$0/.build"';
    expect(await run('sh', ['-c', copyBuild, clone])).toMatchObject({ code: 0 });
    await installByCopying();
    // The newer release has a newer read model, so that the older one has to rebuild its own.
    const source = readFileSync(join(origin, PROJECTION), 'utf8');
    version = Number(/^ {2}version: (\d+),$/m.exec(source)?.[1]) + 1;
    writeFileSync(join(origin, PROJECTION), source.replace(/^ {2}version: \d+,$/m, `  version: ${version},`));
    await git('commit', '--quiet', '--all', '--message', 'Another release');
    await git('tag', 'v2');
  });
  afterAll(async () => {
    await stop();
    // The files of a thousand packages: a busy disk needs minutes.
    rmSync(folder, { recursive: true, force: true });
    await data.release();
  });

  it('back up a data folder', async () => {
    await start('npm start');
    await until(isReady);
    await stop();
    await done('back up a data folder');
  });

  it('upgrade to the next release, which rebuilds what has a newer version', async () => {
    await start(commands('upgrade'));
    await until(isReady);
    const status = async (): Promise<string> => (await paste('rupa projections status --json', { folder: clone, env })).out;
    await until(async () => new RegExp(`"webhook_endpoint","version":${version},[^}]*"live"`).test(await status()));
    await stop();
  });

  it('go back to the release before', async () => {
    await done('go back');
    const { code, err } = await paste('npm start', { folder: clone, env });
    expect([code, err]).toStrictEqual([1, expect.stringContaining('rupa projections rebuild --all')]);
    await done('rebuild for the older release');
    await start('npm start');
    await until(isReady);
    await stop();
  });

  it('restore a data folder and check it', async () => {
    await done('restore a data folder');
    await start('npm start');
    await until(isReady);
    await done('check a restore');
    await stop();
  });

  it('say what to do when the packages that build are missing', async () => {
    appendFileSync(join(clone, 'src/cli.ts'), '// changed\n');
    const { code, err } = await paste('npm run build', { folder: clone, env });
    expect([code, err]).toStrictEqual([1, expect.stringContaining('npm ci && npm run build && npm prune --omit=dev')]);
  });
});

/** Stand-ins of PostgreSQL's tools that write down how they are called; CI has no PostgreSQL client. */
describe('the recipes of docs/operations.md for EventStoreDB and PostgreSQL', () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'rupa-backup-'));
  const at = (name: string): string => join(folder, name);
  const [log, restored, backup, calls] = [at('log'), at('restored'), at('backup'), at('calls')];
  const shell = (eventStoreData: string): { folder: string; env: Record<string, string> } => ({
    folder: process.cwd(),
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
      CALLS: calls,
      COPIED: `${backup}.unfinished/log`,
      DATABASE_URL: database.url,
      ESDB_DATA: eventStoreData,
      BACKUP: backup,
      PGHOST: '127.0.0.1',
      PGPORT: '5432',
    },
  });
  const called = (): string[] => readFileSync(calls, 'utf8').trimEnd().split('\n');
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    mkdirSync(join(folder, 'bin'));
    for (const tool of ['pg_dump', 'pg_restore', 'createdb']) {
      const script = `#!/bin/sh\necho "${tool} $* | $(ls "$COPIED" 2>/dev/null | wc -l)" >>"$CALLS"\nwhile [ $# -gt 0 ]; do [ "$1" != -f ] || echo dump >"$2"; shift; done\n`;
      writeFileSync(join(folder, 'bin', tool), script);
      chmodSync(join(folder, 'bin', tool), 0o755);
    }
    mkdirSync(join(log, 'index/stream'), { recursive: true });
    for (const file of ['chaser.chk', 'writer.chk', 'chunk-000000.000000', 'index/indexmap', 'index/stream/s.chk', 'index/a-table'])
      writeFileSync(join(log, file), file);
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  it('copy the operational tables, then the log, then the key store', async () => {
    expect(await paste(commands('back up'), shell(log))).toMatchObject({ code: 0, out: `The backup is complete: ${backup}\n` });
    expect(called()).toStrictEqual([
      `pg_dump -Fc -N read -N rebuild_* -N key_store --exclude-table-data=ops.console_session -f ${backup}.unfinished/ops.dump ${database.url} | 0`,
      // The log's four files and its folder are there.
      `pg_dump -Fc -n key_store -f ${backup}.unfinished/keys.dump ${database.url} | 4`,
    ]);
    expect(await run('diff', ['-r', log, join(backup, 'log')])).toMatchObject({ code: 0 });
    expect((await paste(commands('back up'), shell(log))).err).toContain('a backup is never written over another one');
  });

  it('copy into a folder that is named from the current one', async () => {
    const other = at('relative');
    const { folder: current, env } = shell(log);
    expect(await paste(commands('back up'), { folder: current, env: { ...env, BACKUP: relative(current, other) } })).toMatchObject({
      code: 0,
    });
    expect(await run('diff', ['-r', join(backup, 'log'), join(other, 'log')])).toMatchObject({ code: 0 });
  });

  it('leave out only the schemas that are rebuilt, and copy that of the keys last', async () => {
    await migrate(database.url);
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1",
    );
    await client.end();
    expect(rows.map(({ name }) => name)).toStrictEqual(['key_store', 'ops', 'public', 'read']);
  });

  it('restore both dumps and the log, of which the event store cuts off what was being written', async () => {
    rmSync(calls);
    expect(await paste(commands('restore'), shell(restored))).toMatchObject({ code: 0 });
    expect(called()).toStrictEqual([
      'createdb -h 127.0.0.1 -p 5432 -U postgres -O rupa rupa | 0',
      `pg_restore -d ${database.url} ${backup}/ops.dump | 0`,
      `pg_restore -d ${database.url} ${backup}/keys.dump | 0`,
    ]);
    expect(await paste(commands('restore the log'), shell(restored))).toMatchObject({
      code: 0,
      out: expect.stringContaining('and ends; then start it again.'),
    });
    expect(readFileSync(join(restored, 'truncate.chk'), 'utf8')).toBe('chaser.chk');
    expect((await paste(commands('restore the log'), shell(restored))).err).toContain('is not empty');
  });
});

describe('docs/operations.md', () => {
  it('has no recipe that is not run here', () => {
    expect([...pasted].sort()).toStrictEqual([...recipeNames(PAGE)].sort());
  });
});
