import { lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** A reason why a data folder must not be used, and the next step of the operator: a command, where one mends it. */
export interface FolderFault {
  readonly found: string;
  readonly todo: string;
}

const READ_OR_WRITE_BY_OTHERS = 0o066;
const ANYTHING_BY_OTHERS = 0o077;
const TRAVERSAL_BY_OTHERS = 0o011;
const ROOT = 0;
/** Name of the embedded event store's folder. */
const EVENT_STORE = 'event-store';
export const SECRETS = 'secrets.json';

/**
 * Returns why the folder is not safe to use, or undefined if it is safe or does not exist. Another user could replace the stores in a
 * folder that belongs to that user or is open to others, and could read the secrets. A link may be changed to lead elsewhere; a parent may
 * be a link.
 *
 * Under root, others may traverse the folder, because PostgreSQL's own user must reach its cluster, which belongs to that user.
 * @param uid the user of this process; undefined where the system has no user ids
 */
export function folderFault(path: string, uid = process.getuid?.(), gid = process.getgid?.() ?? 0): FolderFault | undefined {
  const folder = lstatSync(path, { throwIfNoEntry: false });
  if (!folder) return undefined;
  if (folder.isSymbolicLink()) {
    return { found: `${path} is a link to ${readlinkSync(path)}`, todo: 'Set DATA_DIR to the folder itself.' };
  }
  if (!folder.isDirectory()) return { found: `${path} is not a folder`, todo: 'Set DATA_DIR to a folder.' };
  if (uid === undefined) return undefined;
  const all = `sudo chown -R ${uid}:${gid} ${quoted(path)}`;
  if (folder.uid !== uid) {
    return {
      found: `${path} belongs to another user (${folder.uid}) than the one of this process (${uid})`,
      todo: `Run this as the user ${folder.uid}, or give the folder to this user: ${uid === ROOT ? `chown ${ROOT} ${quoted(path)} && chmod 711 ${quoted(path)}` : all}`,
    };
  }
  if ((folder.mode & READ_OR_WRITE_BY_OTHERS) !== 0) {
    return {
      found: `${path} is open to other users (mode ${modeOf(folder)})`,
      todo: `Run: chmod ${uid === ROOT ? '711' : 'go-rwx'} ${quoted(path)}`,
    };
  }
  return (uid === ROOT ? undefined : foreignEntry(path, uid, all)) ?? secretsFault(path, uid) ?? logFault(path, uid, folder);
}

/** Returns a fault if an entry belongs to another user, for example after a copy by root, so that the stores could not open it. */
function foreignEntry(path: string, uid: number, mend: string): FolderFault | undefined {
  for (const name of readdirSync(path)) {
    const owner = lstatSync(join(path, name), { throwIfNoEntry: false })?.uid ?? uid;
    if (owner !== uid)
      return {
        found: `${join(path, name)} belongs to another user (${owner}) than the one of this process (${uid})`,
        todo: `Run: ${mend}`,
      };
  }
  return undefined;
}

function secretsFault(path: string, uid: number): FolderFault | undefined {
  const secrets = join(path, SECRETS);
  const file = statSync(secrets, { throwIfNoEntry: false });
  if (!file) return undefined;
  const replace = 'if other people use this host, also replace the secrets in it';
  if (file.uid !== uid) {
    return {
      found: `${secrets} belongs to another user (${file.uid}) than the one of this process (${uid})`,
      todo: `Run chown ${uid} ${quoted(secrets)} && chmod 600 ${quoted(secrets)}; ${replace}.`,
    };
  }
  if ((file.mode & ANYTHING_BY_OTHERS) !== 0) {
    return {
      found: `other users can read or change ${secrets} (mode ${modeOf(file)})`,
      todo: `Run chmod 600 ${quoted(secrets)}; ${replace}.`,
    };
  }
  return undefined;
}

/** Returns a fault if another user could read or replace the log. It may be on another disk, so a link to a folder is followed. */
function logFault(path: string, uid: number, folder: Stats): FolderFault | undefined {
  const name = join(path, EVENT_STORE);
  const log = statSync(name, { throwIfNoEntry: false });
  if (!log?.isDirectory()) return undefined;
  if (log.uid !== uid) {
    return {
      found: `${name} belongs to another user (${log.uid}) than the one of this process (${uid})`,
      todo: `Run: chown -R ${uid} ${quoted(name)}/ && chmod 700 ${quoted(name)}`,
    };
  }
  if ((folder.mode & TRAVERSAL_BY_OTHERS) !== 0 && (log.mode & ANYTHING_BY_OTHERS) !== 0)
    return { found: `${name} is open to other users (mode ${modeOf(log)})`, todo: `Run: chmod 700 ${quoted(name)}` };
  return undefined;
}

function modeOf({ mode }: Stats): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

/** Quotes a path for a shell, so that the command can be pasted. */
export function quoted(path: string): string {
  return /^[\w./@%+:,-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
