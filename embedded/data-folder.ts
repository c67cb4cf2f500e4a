import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { explainDiskFault, refuseUnwritableParent } from './disk-faults.js';
import { writeFileDurably } from './durable-file.js';
import { isLocked, lockFolder } from './folder-lock.js';
import { mayEnter } from './folder-access.js';
import { folderFault, SECRETS } from './folder-safety.js';
import { readOrCreateSecrets, readSecrets, type Secrets } from './generated-secrets.js';

/** The running service as the command line finds it in `running.json`. */
export interface Running {
  readonly pid: number;
  readonly address: string;
  readonly eventStoreUrl?: string;
  readonly databaseUrl?: string;
}

/** The folder of the embedded stores, locked so that no other process can use it. */
export interface DataFolder {
  readonly path: string;
  readonly secretsPath: string;
  readonly secrets: Secrets;
  announce(running: Omit<Running, 'pid'>): Promise<void>;
  /** Removes the announcement: the command line finds no running service any more. The folder stays locked. */
  withdraw(): Promise<void>;
  release(): Promise<void>;
}

const RUNNING = 'running.json';
/** Folders with data that is encrypted under the secrets and cannot be read without them. */
const STORES = ['event-store', 'postgres'];

/**
 * Returns DATA_DIR, or `.data` in the project. PostgreSQL refuses to run as root and runs as a user of its own. Where that user may
 * not enter the project of root, the data folder is outside the project.
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

/** Returns which stores the folder holds. A folder that an interrupted start left empty is none. Creates nothing. */
export function storesIn(path: string): { readonly eventStore: boolean; readonly postgres: boolean } {
  const [eventStore = false, postgres = false] = STORES.map((store) => isFilled(join(path, store)));
  return { eventStore, postgres };
}

function isFilled(path: string): boolean {
  try {
    return readdirSync(path).length > 0;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    // Something is there, even if it cannot be read. The error at opening it says what is wrong.
    return true;
  }
}

/** Returns the sentence about stores whose secrets are gone; undefined if nothing is missing. */
export function missingSecrets(path: string): string | undefined {
  if (existsSync(join(path, SECRETS)) || !STORES.some((store) => existsSync(join(path, store)))) return undefined;
  return `${join(path, SECRETS)} is missing, and without it the data in the stores of ${path} cannot be decrypted. Put the file back, or remove ${path} to start with empty stores.`;
}

/**
 * Creates the folder and its secrets where they are missing, and locks the folder.
 * @throws Error that says what to do, such as when another process holds the lock or other users may write to the folder.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  try {
    return await lockAndRead(path);
  } catch (error) {
    throw explainDiskFault(error, path);
  }
}

async function lockAndRead(path: string): Promise<DataFolder> {
  await createFolder(path);
  const unlock = await lockFolder(path);
  const runningPath = join(path, RUNNING);
  const secretsPath = join(path, SECRETS);
  const withdraw = (): Promise<void> => rm(runningPath, { force: true });
  try {
    // A process that was killed leaves its announcement behind.
    await withdraw();
    const missing = missingSecrets(path);
    if (missing !== undefined) throw new Error(missing);
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

/** An existing folder keeps its mode, which must be safe. */
async function createFolder(path: string): Promise<void> {
  const isNew = !existsSync(path);
  if (isNew) refuseUnwritableParent(dirname(path));
  const created = isNew ? await mkdir(path, { recursive: true }).catch(refuseWrongPath(path)) : undefined;
  // Under root, other users may traverse the folder, because PostgreSQL's own user must reach its cluster. The files in it stay private.
  if (created !== undefined) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  refuseUnsafe(path);
}

const WRONG_PATH = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'];

/** Returns a function that throws a sentence for an error that is due to the path. A link leads nowhere while the volume that it names is not mounted. */
function refuseWrongPath(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (!WRONG_PATH.includes(error.code ?? '')) throw error;
    throw new Error(
      `${path} cannot be created (${error.code}): part of its path is no folder, is a link that leads nowhere, or is too long. Mend the path, or set DATA_DIR to another folder.`,
      { cause: error },
    );
  };
}

function refuseUnsafe(path: string): void {
  const fault = folderFault(path);
  if (fault) throw new Error(`${fault.found}. ${fault.todo}`);
}

/**
 * Returns the service that runs on this folder, or undefined if none does. The announcement of a killed service is ignored.
 * @throws Error with the command that mends it if the folder is not safe: another user could have announced a service of its own
 */
export async function findRunning(path: string): Promise<(Running & Pick<DataFolder, 'secrets' | 'secretsPath'>) | undefined> {
  if (!existsSync(join(path, RUNNING))) return undefined;
  refuseUnsafe(path);
  if (!isLocked(path)) return undefined;
  const running = JSON.parse(await readFile(join(path, RUNNING), 'utf8')) as Running;
  const secretsPath = join(path, SECRETS);
  return { ...running, secretsPath, secrets: await readSecrets(secretsPath) };
}
