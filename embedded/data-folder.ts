import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeFileDurably } from './durable-file.js';
import { isLocked, lockFolder } from './folder-lock.js';
import { mayEnter } from './reach.js';
import { readOrCreateSecrets, type Secrets } from './generated-secrets.js';

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
  /** From here on the command line finds no running service; the folder stays locked. */
  withdraw(): Promise<void>;
  release(): Promise<void>;
}

const SECRETS = 'secrets.json';
const RUNNING = 'running.json';
/** What cannot be read without the secrets it was written under. */
const STORES = ['event-store', 'postgres'];

/**
 * DATA_DIR, or `.data` in the project. PostgreSQL refuses to run as root: where root's clone lies under a folder that others may
 * not enter, the data goes where PostgreSQL's own user can reach it.
 */
export function resolveDataDir(setting: string | undefined, projectRoot: string): string {
  if (setting !== undefined) return resolve(projectRoot, setting);
  if (process.getuid?.() !== 0 || mayEnter(projectRoot, {})) return join(projectRoot, '.data');
  const name = `rupa-ledger-${createHash('sha256').update(resolve(projectRoot)).digest('hex').slice(0, 12)}`;
  return join(isWritable('/var/lib') ? '/var/lib' : tmpdir(), name);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes the folder if it is missing, locks it, and makes its secrets.
 * @throws Error that says what to do, such as when another process holds it.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  await make(path);
  const unlock = await lockFolder(path);
  const runningPath = join(path, RUNNING);
  const secretsPath = join(path, SECRETS);
  const withdraw = (): Promise<void> => rm(runningPath, { force: true });
  try {
    // Left by a process that was killed.
    await withdraw();
    if (!existsSync(secretsPath) && STORES.some((store) => existsSync(join(path, store)))) {
      throw new Error(
        `${secretsPath} is missing, and what is in the stores beside it cannot be read without. Put it back, or remove ${path} to begin anew.`,
      );
    }
    return {
      path,
      secretsPath,
      secrets: await readOrCreateSecrets(secretsPath),
      announce: (running) => writeFileDurably(runningPath, JSON.stringify({ pid: process.pid, ...running })),
      withdraw,
      release: () => withdraw().finally(unlock),
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** A folder that was there keeps its mode: it may be anybody's. */
async function make(path: string): Promise<void> {
  const existed = existsSync(path);
  await mkdir(path, { recursive: true });
  // As root, PostgreSQL's user passes through to what is its own; every file here is its owner's alone.
  if (!existed) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
}

/** The service that runs on this folder; undefined where none does, also after one was killed. */
export async function findRunning(path: string): Promise<(Running & Pick<DataFolder, 'secrets' | 'secretsPath'>) | undefined> {
  if (!existsSync(join(path, RUNNING)) || !isLocked(path)) return undefined;
  const running = JSON.parse(await readFile(join(path, RUNNING), 'utf8')) as Running;
  const secretsPath = join(path, SECRETS);
  return { ...running, secretsPath, secrets: await readOrCreateSecrets(secretsPath) };
}
