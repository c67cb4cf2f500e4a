import { execFile } from 'node:child_process';
import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Identity } from './folder-access.js';

const run = promisify(execFile);

/**
 * Returns the user that PostgreSQL runs as, or an empty identity where it can run as the current user. PostgreSQL refuses to run as
 * root; under root it therefore runs as the owner of the cluster. A new cluster belongs to the user `postgres`, which is created if it
 * is missing, and so does one of root: a copy by root lost its owner.
 * @throws Error that says what to do if the user cannot be created.
 */
export async function postgresUser(cluster: string): Promise<Identity> {
  if (process.getuid?.() !== 0) return {};
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  try {
    return await findPostgres();
  } catch {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']).catch(
      () => undefined,
    );
    // Another process may have created the user at the same moment.
    return await findPostgres().catch(() => {
      throw new Error(
        'PostgreSQL cannot run as root, and the user "postgres" could not be created. Run the service as another user, or set DATABASE_URL.',
      );
    });
  }
}

/** Gives the folder and everything in it to the user. Links are not followed. */
export async function giveTo({ uid = 0, gid = 0 }: Identity, folder: string): Promise<void> {
  for (const entry of ['', ...(await readdir(folder, { recursive: true }))]) await lchown(join(folder, entry), uid, gid);
}

async function findPostgres(): Promise<Identity> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
