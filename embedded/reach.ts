import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A user and its group; nothing stands for any user without rights of its own. */
export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** Whether the mode bits let the identity enter the folder and all above it. What does not exist yet counts as open. */
export function mayEnter(path: string, identity: Identity): boolean {
  const folder = realPathOfExisting(resolve(path));
  return mayPass(folder, identity) && (folder === dirname(folder) || mayEnter(dirname(folder), identity));
}

function mayPass(folder: string, { uid, gid }: Identity): boolean {
  const status = statSync(folder);
  if (status.uid === uid) return (status.mode & 0o100) !== 0;
  if (status.gid === gid) return (status.mode & 0o010) !== 0;
  return (status.mode & 0o001) !== 0;
}

/** A link's target has parents of its own. */
function realPathOfExisting(path: string): string {
  return existsSync(path) ? realpathSync(path) : realPathOfExisting(dirname(path));
}
