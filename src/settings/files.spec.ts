import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, SettingsInvalid } from './read.js';

describe('secrets from files', () => {
  let folder: string;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const sentences = (env: Record<string, string>): readonly string[] => {
    try {
      readSettings(env);
    } catch (error) {
      if (error instanceof SettingsInvalid) return error.sentences;
      throw error;
    }
    return [];
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rupa-secrets-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('replace the variables that production needs, and may end with a line break', () => {
    const settings = readSettings({
      NODE_ENV: 'production',
      EVENT_STORE_URL_FILE: file('event_store_url', 'esdb://store:2113?tls=false\n'),
      DATABASE_URL_FILE: file('database_url', 'postgres://u:p@db/rupa\n'),
      MASTER_KEY_FILE: file('master_key', `k1:${Buffer.alloc(32).toString('base64')}\n`),
      ADMIN_TOKEN_FILE: file('admin_token', `${'a'.repeat(32)}\n`),
      AUDITOR_TOKEN_FILE: file('auditor_token', `${'b'.repeat(32)}\n`),
    });
    expect(settings).toMatchObject({
      eventStoreUrl: 'esdb://store:2113?tls=false',
      databaseUrl: 'postgres://u:p@db/rupa',
      masterKey: `k1:${Buffer.alloc(32).toString('base64')}`,
      adminToken: 'a'.repeat(32),
      auditorToken: 'b'.repeat(32),
    });
  });

  it('stop the start when they are not UTF-8', () => {
    const path = join(folder, 'latin1');
    writeFileSync(path, Buffer.from('caf\xe9', 'latin1'));
    expect(sentences({ ADMIN_TOKEN_FILE: path })).toContain(`ADMIN_TOKEN_FILE is wrong: ${path} is not UTF-8.`);
  });

  it('stop the start when they are unreadable, empty, invalid or set twice, with a message that names the variable and not the secret', () => {
    expect(sentences({ ADMIN_TOKEN_FILE: join(folder, 'nowhere') })).toStrictEqual([
      `ADMIN_TOKEN_FILE is wrong: ${join(folder, 'nowhere')} cannot be read (ENOENT).`,
    ]);
    expect(sentences({ ADMIN_TOKEN_FILE: file('empty', ' \n') })).toStrictEqual([
      `ADMIN_TOKEN_FILE is wrong: ${join(folder, 'empty')} is empty.`,
    ]);
    expect(sentences({ ADMIN_TOKEN_FILE: file('short', 'hunter2') })).toStrictEqual([
      'ADMIN_TOKEN is wrong: each token must have at least 24 characters, none of them a space.',
    ]);
    expect(sentences({ ADMIN_TOKEN: 'a'.repeat(32), ADMIN_TOKEN_FILE: file('twice', 'b'.repeat(32)) })).toStrictEqual([
      'ADMIN_TOKEN and ADMIN_TOKEN_FILE are both set: remove one of them.',
    ]);
  });
});
