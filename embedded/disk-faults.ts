import { accessSync, constants, existsSync } from 'node:fs';
import { constants as os } from 'node:os';
import { dirname } from 'node:path';

/** The next step for the operator, by the code of Node or the number that LMDB's errors have instead. */
const MENDED_BY = {
  EROFS: 'its file system is read-only. Make it writable, or set DATA_DIR to a folder on another one.',
  EACCES: 'this user may not write there. Allow it, or set DATA_DIR to another folder.',
  EPERM: 'this user may not write there. Allow it, or set DATA_DIR to another folder.',
  ENOSPC: 'its disk is full. Free space on it.',
  EDQUOT: "this user's quota of its disk is used up. Free space on it.",
  EIO: 'its disk fails. Replace the disk, and restore the folder from a backup.',
} as const;
type Code = keyof typeof MENDED_BY;
const CODES = Object.keys(MENDED_BY) as Code[];

/** Returns an error that says what to do if the disk of the data folder does not accept writes; any other error stays as it is. */
export function explainDiskFault(error: unknown, folder: string): unknown {
  const { code } = error as { code?: unknown };
  const known = CODES.find((each) => code === each || code === os.errno[each]);
  if (known === undefined) return error;
  return new Error(`${folder} cannot be written (${known}): ${MENDED_BY[known]}`, { cause: error });
}

/** Throws the reason for which a folder cannot be created there: Node's mkdir reports a read-only file system as a missing folder. */
export function refuseUnwritableParent(folder: string): void {
  if (existsSync(folder)) accessSync(folder, constants.W_OK);
  else if (folder !== dirname(folder)) refuseUnwritableParent(dirname(folder));
}
