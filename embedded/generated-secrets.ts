import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writeFileDurably } from './durable-file.js';

/** The secrets that the service generates where no setting provides them. spec: admin.md, "Settings". */
export interface Secrets {
  /** Master keys as `id:base64 of 32 bytes`, separated by commas; the first one is current. */
  readonly masterKey: string;
  readonly adminToken: string;
  readonly auditorToken: string;
}

/** Reads the secrets from the file. A missing file is created atomically, with new secrets. */
export async function readOrCreateSecrets(path: string): Promise<Secrets> {
  if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as Secrets;
  const secrets: Secrets = {
    masterKey: newMasterKey('k1'),
    adminToken: `rupa_admin_${randomBytes(32).toString('base64url')}`,
    auditorToken: `rupa_auditor_${randomBytes(32).toString('base64url')}`,
  };
  await write(path, secrets);
  return secrets;
}

/** Adds a new master key, which becomes the current one, and returns its id. The caller must prevent concurrent calls. */
export async function addMasterKey(path: string): Promise<string> {
  const secrets = await readOrCreateSecrets(path);
  const numbers = entriesOf(secrets).map(({ id }) => Number(/^k(\d+)$/.exec(id)?.[1] ?? 0));
  const id = `k${Math.max(...numbers) + 1}`;
  await write(path, { ...secrets, masterKey: `${newMasterKey(id)},${secrets.masterKey}` });
  return id;
}

/** Removes a master key. The caller has checked that it is not the current one and that no data key is wrapped with it. */
export async function dropMasterKey(path: string, id: string): Promise<void> {
  const secrets = await readOrCreateSecrets(path);
  const remaining = entriesOf(secrets).filter((entry) => entry.id !== id);
  await write(path, { ...secrets, masterKey: remaining.map(({ text }) => text).join(',') });
}

function entriesOf({ masterKey }: Secrets): readonly { readonly id: string; readonly text: string }[] {
  return masterKey.split(',').map((text) => ({ id: text.split(':')[0] ?? '', text }));
}

function newMasterKey(id: string): string {
  return `${id}:${randomBytes(32).toString('base64')}`;
}

async function write(path: string, secrets: Secrets): Promise<void> {
  await writeFileDurably(path, `${JSON.stringify(secrets, undefined, 2)}\n`);
}
