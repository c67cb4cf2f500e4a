import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Identity } from './folder-access.js';

const run = promisify(execFile);

/**
 * Returns the user that PostgreSQL runs as, or an empty identity where it can run as the current user. PostgreSQL refuses to run as
 * root; under root it therefore runs as the owner of the cluster. A new cluster belongs to the user `postgres`, which is created if it
 * is missing.
 * @throws Error that says what to do if the user cannot be created.
 */
export async function postgresUser(cluster: string): Promise<Identity> {
  if (process.getuid?.() !== 0) return {};
  const owner = await stat(cluster).catch(() => undefined);
  if (owner) return { uid: owner.uid, gid: owner.gid };
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

async function findPostgres(): Promise<Identity> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
