import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { DOCUMENTED, settingsPage } from './settings-table.js';
import { readSettings } from './settings.js';

/** Every variable that is looked at, also for what production needs. */
function variablesRead(): string[] {
  const names = new Set<string>();
  const values: Record<string, string> = {
    NODE_ENV: 'production',
    EVENT_STORE_URL: 'esdb://a',
    DATABASE_URL: 'postgres://a/b',
    MASTER_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
    ADMIN_TOKEN: 'a'.repeat(24),
    AUDITOR_TOKEN: 'b'.repeat(24),
  };
  const env = new Proxy(values, {
    get: (target, name) => {
      names.add(String(name));
      return target[String(name)];
    },
  });
  readSettings(env);
  return [...names];
}

describe('the table of settings', () => {
  it('has every variable that is read, and no other', () => {
    expect(DOCUMENTED.map(({ name }) => name).sort()).toStrictEqual(variablesRead().sort());
  });

  it.each(DOCUMENTED.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])))(
    '%s is %s by default',
    (name, value) => {
      expect(readSettings({ [name]: value })).toStrictEqual(readSettings({}));
    },
  );

  it('is what docs/settings.md shows; if not, run: npm run settings-table', () => {
    expect(readFileSync('docs/settings.md', 'utf8')).toBe(settingsPage());
  });
});
