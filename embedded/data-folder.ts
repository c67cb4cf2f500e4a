import { createHash, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface Secrets {
  /** `id:base64 of 32 bytes`. */
  readonly masterKey: string;
  readonly adminToken: string;
  readonly auditorToken: string;
  readonly postgresPassword: string;
}

/** What a running service tells the command line. */
export interface Running {
  readonly pid: number;
  readonly address: string;
  readonly eventStoreUrl?: string;
  readonly databaseUrl?: string;
}

/** The folder of the embedded stores, held against every other process. */
export interface DataFolder {
  readonly path: string;
  readonly secretsPath: string;
  readonly secrets: Secrets;
  announce(running: Omit<Running, 'pid'>): Promise<void>;
  release(): Promise<void>;
}

const SECRETS = 'secrets.json';
const RUNNING = 'running.json';
const LOCK = 'lock';
const HOLDER = 'holder';

/**
 * DATA_DIR, or `.data` in the project. PostgreSQL refuses to run as root: where root's clone lies under a folder that others may
 * not enter, the data goes where PostgreSQL's own user can reach it.
 */
export function resolveDataDir(setting: string | undefined, projectRoot: string): string {
  if (setting !== undefined) return resolve(setting);
  if (process.getuid?.() !== 0 || isOpenToOthers(projectRoot)) return join(projectRoot, '.data');
  const name = `rupa-ledger-${createHash('sha256').update(projectRoot).digest('hex').slice(0, 12)}`;
  return join('/var/lib', name);
}

/** Whether a user without rights of its own may enter the folder and all above it. */
export function isOpenToOthers(path: string): boolean {
  const folder = resolve(path);
  const open = !existsSync(folder) || (statSync(folder).mode & 0o001) !== 0;
  return open && (folder === dirname(folder) || isOpenToOthers(dirname(folder)));
}

/** Makes the folder if it is missing, locks it, and makes its secrets. @throws Error that names the process that holds it. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  await mkdir(path, { recursive: true });
  // Others may pass through, to what belongs to PostgreSQL's user; every file here is its owner's alone.
  await chmod(path, 0o711);
  const unlock = await lock(path);
  const secretsPath = join(path, SECRETS);
  try {
    return {
      path,
      secretsPath,
      secrets: await readOrCreateSecrets(secretsPath),
      announce: (running) => writeFileDurably(join(path, RUNNING), JSON.stringify({ pid: process.pid, ...running })),
      release: async () => {
        await rm(join(path, RUNNING), { force: true });
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The service that runs on this folder; undefined where none does, also after one was killed. */
export async function findRunning(path: string): Promise<(Running & { readonly secrets: Secrets }) | undefined> {
  if (!existsSync(join(path, RUNNING)) || !isLocked(path)) return undefined;
  const running = JSON.parse(await readFile(join(path, RUNNING), 'utf8')) as Running;
  return { ...running, secrets: JSON.parse(await readFile(join(path, SECRETS), 'utf8')) as Secrets };
}

/** SQLite's file lock belongs to the process: the kernel takes it back however the process ends, and a reused pid means nothing. */
async function lock(path: string): Promise<() => void> {
  const database = new DatabaseSync(join(path, LOCK));
  try {
    database.exec('begin exclusive');
  } catch {
    database.close();
    const holder = await readFile(join(path, HOLDER), 'utf8').catch(() => 'unknown');
    throw new Error(`${path} is in use by process ${holder.trim()}. Stop that one first, or set DATA_DIR to another folder.`);
  }
  await writeFileDurably(join(path, HOLDER), `${process.pid}\n`);
  return () => {
    database.close();
  };
}

function isLocked(path: string): boolean {
  const database = new DatabaseSync(join(path, LOCK));
  try {
    database.exec('begin exclusive');
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

async function readOrCreateSecrets(path: string): Promise<Secrets> {
  if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as Secrets;
  const secrets: Secrets = {
    masterKey: `k1:${randomBytes(32).toString('base64')}`,
    adminToken: `rupa_admin_${randomBytes(32).toString('base64url')}`,
    auditorToken: `rupa_auditor_${randomBytes(32).toString('base64url')}`,
    postgresPassword: randomBytes(24).toString('base64url'),
  };
  await writeFileDurably(path, `${JSON.stringify(secrets, undefined, 2)}\n`);
  return secrets;
}

/** Whole or not at all: a master key that was half written would lose every farmer's data. */
async function writeFileDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
