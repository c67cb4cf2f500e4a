import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Syncs the folder: the names of new files in it are on disk when this returns. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
