import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A user and its group. An empty identity stands for a user that is neither the owner nor in the group of any folder. */
export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** Returns whether the mode bits let the identity enter the folder and all of its parents. Folders that do not exist yet count as open. */
export function mayEnter(path: string, identity: Identity): boolean {
  const folder = realPathOfExisting(resolve(path));
  return mayTraverse(folder, identity) && (folder === dirname(folder) || mayEnter(dirname(folder), identity));
}

function mayTraverse(folder: string, { uid, gid }: Identity): boolean {
  const status = statSync(folder);
  if (status.uid === uid) return (status.mode & 0o100) !== 0;
  if (status.gid === gid) return (status.mode & 0o010) !== 0;
  return (status.mode & 0o001) !== 0;
}

/** Resolves symbolic links, because the parents of a link's target decide, not those of the link. */
function realPathOfExisting(path: string): string {
  return existsSync(path) ? realpathSync(path) : realPathOfExisting(dirname(path));
}
