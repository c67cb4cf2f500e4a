import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseTokens, shareToken } from '../src/http/authenticating/admin-tokens.js';
import { MasterKeys } from '../src/platform/key-store/master-keys.js';
import { writeFileDurably } from './durable-file.js';

/** The secrets that the service generates where no setting provides them. spec: admin.md, "Settings". */
export interface Secrets {
  /** Master keys as `id:base64 of 32 bytes`, separated by commas; the first one is current. */
  readonly masterKey: string;
  readonly adminToken: string;
  readonly auditorToken: string;
}

/**
 * Reads the secrets from the file. A missing file is created atomically, with new secrets.
 * @throws Error that names the file and what is wrong with it. The sentence never quotes the file.
 */
export async function readOrCreateSecrets(path: string): Promise<Secrets> {
  if (existsSync(path)) return await readSecrets(path);
  const secrets: Secrets = {
    masterKey: newMasterKey('k1'),
    adminToken: `rupa_admin_${randomBytes(32).toString('base64url')}`,
    auditorToken: `rupa_auditor_${randomBytes(32).toString('base64url')}`,
  };
  await write(path, secrets);
  return secrets;
}

/** Reads the secrets from the file. @throws Error like {@link readOrCreateSecrets} */
export async function readSecrets(path: string): Promise<Secrets> {
  const wrong = (reason: string, cause?: unknown): Error =>
    new Error(`${path} is wrong: ${reason}. Put back the file from a backup of the data folder.`, { cause });
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw wrong(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, error);
  });
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // The message of JSON.parse would quote the secrets.
    throw wrong('it is not valid JSON');
  }
  const { success, data, error } = FILE.safeParse(found);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  throw wrong(`${field === '' ? '' : `${field}: `}${issue?.message ?? 'unknown'}`);
}

/** Adds a new master key, which becomes the current one, and returns its id. The caller must prevent concurrent calls. */
export async function addMasterKey(path: string): Promise<string> {
  const secrets = await readSecrets(path);
  const numbers = entriesOf(secrets).map(({ id }) => Number(/^k(\d+)$/.exec(id)?.[1] ?? 0));
  const id = `k${Math.max(...numbers) + 1}`;
  await write(path, { ...secrets, masterKey: `${newMasterKey(id)},${secrets.masterKey}` });
  return id;
}

/** Removes a master key. The caller has checked that it is not the current one and that no data key is wrapped with it. */
export async function dropMasterKey(path: string, id: string): Promise<void> {
  const secrets = await readSecrets(path);
  const remaining = entriesOf(secrets).filter((entry) => entry.id !== id);
  await write(path, { ...secrets, masterKey: remaining.map(({ text }) => text).join(',') });
}

function setting(check: (text: string) => unknown): z.ZodType<string> {
  return z.string({ error: 'it must be a text' }).superRefine((text, context) => {
    try {
      check(text);
    } catch (error) {
      context.addIssue((error as Error).message);
    }
  });
}

/** Each field has the form of the setting that it replaces. */
const FILE = z
  .object(
    { masterKey: setting((text) => MasterKeys.parse(text)), adminToken: setting(parseTokens), auditorToken: setting(parseTokens) },
    { error: 'it must be a JSON object' },
  )
  .refine(({ adminToken, auditorToken }) => !shareToken(adminToken, auditorToken), {
    error: 'adminToken and auditorToken contain the same token',
  });

function entriesOf({ masterKey }: Secrets): readonly { readonly id: string; readonly text: string }[] {
  return masterKey.split(',').map((text) => ({ id: text.split(':')[0] ?? '', text }));
}

function newMasterKey(id: string): string {
  return `${id}:${randomBytes(32).toString('base64')}`;
}

async function write(path: string, secrets: Secrets): Promise<void> {
  await writeFileDurably(path, `${JSON.stringify(secrets, undefined, 2)}\n`);
}
