import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { renameDurably, writeFileDurably } from './durable-file.js';
import { type Binaries } from './postgres-binaries.js';
import { type Identity } from './folder-access.js';

/** Signal for a fast shutdown, which rolls back open transactions. */
export const FAST_SHUTDOWN = 'SIGINT';
/** Signal for an immediate shutdown, after which the next start recovers from the write-ahead log. */
export const IMMEDIATE_SHUTDOWN = 'SIGQUIT';
export const FAST_SHUTDOWN_TIMEOUT_MS = 60_000;
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 10_000;
/** PostgreSQL writes its pid file immediately after it creates it. */
const EMPTY_PID_FILE_TIMEOUT_MS = 2_000;
const POLL_MS = 20;

/** PostgreSQL's environment. It is not inherited, because the service's environment holds secrets. */
export const ENVIRONMENT = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };

const run = promisify(execFile);

/** Returns the path of the file with the superuser's password, which is next to the cluster. */
export function passwordFile(cluster: string): string {
  return `${cluster}.password`;
}

/**
 * Creates the cluster in a new temporary folder and renames the folder when it is complete. Each attempt has a folder of its own,
 * because an initdb whose parent process was killed may still be writing to an earlier one.
 * @throws Error with the output of initdb.
 */
export async function initialiseCluster(binaries: Binaries, user: Identity, cluster: string): Promise<void> {
  await writeFileDurably(passwordFile(cluster), randomBytes(24).toString('base64url'));
  const unfinished = await mkdtemp(`${cluster}.unfinished-`);
  try {
    for (const path of [passwordFile(cluster), unfinished]) {
      if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
    }
    const options = ['--username=postgres', `--pwfile=${passwordFile(cluster)}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
    await run(binaries.initdb, [`--pgdata=${unfinished}`, ...options], { ...user, cwd: '/', env: ENVIRONMENT });
    await renameDurably(unfinished, cluster);
  } catch (error) {
    throw new Error(`PostgreSQL could not be set up in ${dirname(cluster)}: ${(error as Error).message}`, { cause: error });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Stops the server that an earlier process, which was killed, left running on the cluster. */
export async function stopOrphan(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = await writtenPid(pidFile);
  // PostgreSQL itself handles the pid file of a server that died: it first checks that all processes of that server have ended.
  if (!(pid > 0) || !isAlive(pid)) return;
  if (!(await servesCluster(pid, cluster))) {
    // Another program has this pid now. PostgreSQL would take it for a running server and refuse to start.
    await rm(pidFile, { force: true });
    return;
  }
  process.kill(pid, FAST_SHUTDOWN);
  if (await hasEnded(pid, cluster, FAST_SHUTDOWN_TIMEOUT_MS)) return;
  process.kill(pid, IMMEDIATE_SHUTDOWN);
  if (await hasEnded(pid, cluster, IMMEDIATE_SHUTDOWN_TIMEOUT_MS)) return;
  throw new Error(`PostgreSQL from an earlier run (process ${pid}) does not stop. End that process, then start again.`);
}

/**
 * Returns the server's pid, or 0 if there is no pid file. A file that stays empty is deleted: a crash between its creation and its writing
 * left it, and PostgreSQL would refuse to start as long as it is there.
 */
async function writtenPid(pidFile: string): Promise<number> {
  const deadline = Date.now() + EMPTY_PID_FILE_TIMEOUT_MS;
  const content = async (): Promise<string | undefined> => await readFile(pidFile, 'utf8').catch(() => undefined);
  let found = await content();
  while (found === '' && Date.now() <= deadline) {
    await delay(POLL_MS);
    found = await content();
  }
  if (found === '') await rm(pidFile, { force: true });
  return Number(found?.split('\n')[0] ?? 0);
}

async function hasEnded(pid: number, cluster: string, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid) && (await servesCluster(pid, cluster))) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns whether the process is a server of this cluster. A server whose folder no longer exists counts as one, because the folder
 * may have been renamed to this cluster while it ran, and two servers on one cluster would destroy it.
 */
async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  const served = /(?:^|\/)postgres -D (.+) -p \d/.exec(await commandLine(pid))?.[1];
  return served !== undefined && (!existsSync(served) || realpathSync(served) === realpathSync(cluster));
}

async function commandLine(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch {
    // The system is not Linux, or the process has just ended.
    return await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).then(
      ({ stdout }) => stdout,
      () => '',
    );
  }
}
