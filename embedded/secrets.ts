import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writeFileDurably } from './durable-file.js';

/** What the service makes for itself when nobody gives it. spec: admin.md, "Settings". */
export interface Secrets {
  /** `id:base64 of 32 bytes`. */
  readonly masterKey: string;
  readonly adminToken: string;
  readonly auditorToken: string;
}

/** The secrets in the file, which is made with new ones if it is missing; whole, or not at all. */
export async function readOrCreateSecrets(path: string): Promise<Secrets> {
  if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as Secrets;
  const secrets: Secrets = {
    masterKey: `k1:${randomBytes(32).toString('base64')}`,
    adminToken: `rupa_admin_${randomBytes(32).toString('base64url')}`,
    auditorToken: `rupa_auditor_${randomBytes(32).toString('base64url')}`,
  };
  await writeFileDurably(path, `${JSON.stringify(secrets, undefined, 2)}\n`);
  return secrets;
}
