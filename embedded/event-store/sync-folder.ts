import { closeSync, fsyncSync, openSync } from 'node:fs';

/** The names of files that are new in the folder are on disk when it returns. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
