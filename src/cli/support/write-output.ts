import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { interruptible } from './interruptible.js';
import { terminalText } from './output.js';

/** Writes a file or, for `-`, standard output. Returns false if the reader of standard output closes it early. */
export async function writeOutput(file: string, pieces: AsyncIterable<string | Buffer>): Promise<boolean> {
  if (file === '-') return await writeToStdout(pieces);
  return await interruptible(`Stopped. ${file} was not written; run the same command again.`, (signal) =>
    writeToFile(file, pieces, signal),
  );
}

/** Writes to standard output with backpressure. Returns false if the reader closes it early, as `head` does. */
export async function writeToStdout(pieces: AsyncIterable<string | Buffer>): Promise<boolean> {
  try {
    await pipeline(process.stdout.isTTY ? forTerminal(pieces) : pieces, process.stdout, { end: false });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false;
    throw error;
  }
}

async function* forTerminal(pieces: AsyncIterable<string | Buffer>): AsyncGenerator<string> {
  for await (const piece of pieces) yield terminalText(piece.toString());
}

/**
 * Writes a file atomically and durably, with permissions for its owner only.
 * @param signal stops before the next piece, and leaves nothing behind
 * @throws Error that says what to do, and the reason of the signal
 */
export async function writeToFile(path: string, pieces: AsyncIterable<string | Buffer>, signal?: AbortSignal): Promise<true> {
  try {
    const target = await replaceable(path);
    // Somebody else may write to the folder, and could place a link under a name that can be foreseen.
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      await write(temporary, pieces, signal);
      await rename(temporary, target);
      await syncFolder(dirname(target));
      return true;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw explained(path, error as NodeJS.ErrnoException);
  }
}

async function write(path: string, pieces: AsyncIterable<string | Buffer>, signal: AbortSignal | undefined): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(pieces, { signal });
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/**
 * Returns the path to replace, with symbolic links resolved.
 * @throws Error for devices, pipes and folders, which a file must not replace
 */
async function replaceable(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (found && !found.isFile()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' });
  return found ? await realpath(path) : path;
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist. Create it first, or name a file elsewhere.',
  ENOTDIR: 'a part of its path is not a folder. Name a file elsewhere.',
  EISDIR: 'it is a folder or a device. Name a file, or - for standard output.',
  EACCES: 'this user may not write there. Name a file elsewhere, or - for standard output.',
  EPERM: 'this user may not write there. Name a file elsewhere, or - for standard output.',
  EROFS: 'that disk is read-only. Name a file elsewhere, or - for standard output.',
  ENOSPC: 'the disk is full. Free some space, or name a file on another disk.',
  EFBIG: 'the file would be larger than its disk or the limit of this shell (ulimit -f) allows. Name a file on another disk.',
  EIO: 'the disk reports an error. Check it, or name a file on another disk.',
  EDQUOT: 'the disk quota is used up. Free some space, or name a file on another disk.',
};

function explained(path: string, error: NodeJS.ErrnoException): Error {
  const advice = ADVICE[error.code ?? ''];
  return advice === undefined ? error : new Error(`${path} cannot be written: ${advice}`, { cause: error });
}
