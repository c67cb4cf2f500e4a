import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Identity } from './reach.js';

const run = promisify(execFile);

/**
 * Whom PostgreSQL runs as; nothing where it may run as ourselves. It refuses to run as root: it runs as the cluster's owner then,
 * and a new cluster belongs to the user `postgres`, which is made if it is missing.
 * @throws Error that says what to do where no such user can be made.
 */
export async function postgresUser(cluster: string): Promise<Identity> {
  if (process.getuid?.() !== 0) return {};
  const owner = await stat(cluster).catch(() => undefined);
  if (owner) return { uid: owner.uid, gid: owner.gid };
  try {
    return await lookUp();
  } catch {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']).catch(
      () => undefined,
    );
    // Another process may have made it at the same moment.
    return await lookUp().catch(() => {
      throw new Error('PostgreSQL cannot run as root, and no user "postgres" could be made. Run as another user, or set DATABASE_URL.');
    });
  }
}

async function lookUp(): Promise<Identity> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
