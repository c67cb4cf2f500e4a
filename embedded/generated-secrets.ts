import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writeFileDurably } from './durable-file.js';

/** What the service makes for itself when nobody gives it. spec: admin.md, "Settings". */
export interface Secrets {
  /** `id:base64 of 32 bytes`, several separated by commas, the first one current. */
  readonly masterKey: string;
  readonly adminToken: string;
  readonly auditorToken: string;
}

/** The secrets in the file, which is made with new ones if it is missing; whole, or not at all. */
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

/** Puts a new master key before those that there are, and answers its id. One at a time: who calls sees to that. */
export async function addMasterKey(path: string): Promise<string> {
  const secrets = await readOrCreateSecrets(path);
  const numbers = entriesOf(secrets).map(({ id }) => Number(/^k(\d+)$/.exec(id)?.[1] ?? 0));
  const id = `k${Math.max(...numbers) + 1}`;
  await write(path, { ...secrets, masterKey: `${newMasterKey(id)},${secrets.masterKey}` });
  return id;
}

/** Takes a master key out. Who calls knows that nothing is under it, and that it is not the current one. */
export async function dropMasterKey(path: string, id: string): Promise<void> {
  const secrets = await readOrCreateSecrets(path);
  const kept = entriesOf(secrets).filter((entry) => entry.id !== id);
  await write(path, { ...secrets, masterKey: kept.map(({ text }) => text).join(',') });
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
