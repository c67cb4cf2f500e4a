import { existsSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { writeFileDurably } from './durable-file.js';

const LOCK = 'lock';
const HOLDER = 'holder';
/** Milliseconds to wait for the lock. {@link isLocked} holds it for a moment, which must not make a service fail to start. */
const TIMEOUT_MS = 500;
const SQLITE_BUSY = 5;

/**
 * Locks the folder for this process until the returned function is called or the process ends.
 *
 * The lock is SQLite's file lock on an empty database. The kernel releases it however the process ends, a reused pid does no harm, no
 * timer has to renew it, and no package is needed. POSIX drops such a lock when the process closes any other descriptor of the file,
 * so only SQLite, which takes care of this, may open the file.
 * @throws Error that names the process that holds the lock.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, LOCK);
  if (!existsSync(path)) await (await open(path, 'a', 0o600)).close();
  const database = new DatabaseSync(path, { timeout: TIMEOUT_MS });
  const holder = join(folder, HOLDER);
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw new Error(`${folder} cannot be locked: ${(error as Error).message}.`, { cause: error });
    const pid = await readFile(holder, 'utf8').catch(() => '');
    throw new Error(
      `${folder} is in use by ${pid ? `process ${pid}` : 'another process'}. Stop that one first, or set DATA_DIR to another folder.`,
      { cause: error },
    );
  }
  await writeFileDurably(holder, String(process.pid));
  return async () => {
    if (!database.isOpen) return;
    await rm(holder, { force: true });
    database.close();
  };
}

/** Returns whether a process holds the lock of the folder now. */
export function isLocked(folder: string): boolean {
  const path = join(folder, LOCK);
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec('select 1 from sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY;
}
