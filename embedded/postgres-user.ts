import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whom PostgreSQL runs as; nothing where it may run as ourselves. */
export interface PostgresUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root: it gets the user `postgres` then, which is made if it is missing. */
export async function postgresUser(): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return {};
  try {
    return await lookUp();
  } catch {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']).catch(() => undefined);
    // Another process may have made it at the same moment.
    return await lookUp().catch(() => {
      throw new Error('PostgreSQL cannot run as root, and no user "postgres" could be made. Run as another user, or set DATABASE_URL.');
    });
  }
}

async function lookUp(): Promise<PostgresUser> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
