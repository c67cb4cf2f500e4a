import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { DOCUMENTED, settingsPage } from './settings-page.js';
import { readSettings } from './read.js';

/** Returns the name of every variable that readSettings() reads in production. */
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

const variables = DOCUMENTED.map(({ name }) => name);

describe('the table of settings', () => {
  it('has a default, a unit or form and a description for every variable', () => {
    for (const { name, value, defaultInWords, form, description } of DOCUMENTED)
      expect([name, value ?? defaultInWords, form, description]).toStrictEqual([
        name,
        expect.stringMatching(/./),
        expect.stringMatching(/./),
        expect.stringMatching(/^[A-Z].*\.$/),
      ]);
  });

  it('has every variable that is read, and no other', () => {
    expect(variables.toSorted()).toStrictEqual(variablesRead().toSorted());
  });

  it.each(DOCUMENTED.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])))(
    '%s is %s by default',
    (name, value) => {
      expect(readSettings({ [name]: value })).toStrictEqual(readSettings({}));
    },
  );

  it('equals docs/settings.md (if not, run: npm run settings-table)', () => {
    expect(readFileSync('docs/settings.md', 'utf8')).toBe(settingsPage());
  });

  it('has every variable that README mentions', () => {
    const [, section = ''] = readFileSync('README.md', 'utf8').split('\n## Settings\n');
    const [, ...rows] = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
    const named = rows.flatMap((row) => [...row.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)`/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !variables.includes(name))).toStrictEqual([]);
  });

  it('has every variable that a page of docs/ mentions', () => {
    // OpenTelemetry's SDK reads the first two itself, and Node the third. The examples for partners use the last two.
    const known = ['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES', 'NODE_EXTRA_CA_CERTS', 'RUPA_URL', 'RUPA_API_KEY', ...variables];
    const families = new Set(variables.map((name) => name.split('_')[0]));
    const pages = globSync(['README.md', 'docs/*.md', 'docs/adr/*.md']);
    const unknown = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\b([A-Z]+)(?:_[A-Z]+)+\b/g)]
        .filter(([name, family]) => families.has(family) && !known.includes(name))
        .map(([name]) => [page, name]),
    );
    expect(pages.length).toBeGreaterThan(10);
    expect(unknown).toStrictEqual([]);
  });
});
