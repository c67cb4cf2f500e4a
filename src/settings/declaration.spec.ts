import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { SECRETS, VARIABLES } from './declaration.js';
import { DOCUMENTED } from './settings-page.js';
import { readSettings, SettingsInvalid } from './read.js';

describe('the declaration of settings', () => {
  it('names each variable once, in upper case', () => {
    const names = VARIABLES.map(({ name }) => name);
    expect(names.filter((name) => !/^[A-Z]+(_[A-Z]+)*$/.test(name))).toStrictEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(SECRETS.map(({ name }) => [name]))('never repeats the value of %s in an error', (name) => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z:/,@+]{0,8}hunter2[a-z:/,@+]{0,8}$/), (text) => {
        try {
          readSettings({ [name]: text });
        } catch (error) {
          expect(error).toBeInstanceOf(SettingsInvalid);
          expect((error as SettingsInvalid).message).not.toContain('hunter2');
        }
      }),
    );
  });

  it('has the same default PORT as the health check of containers, which does not load the declaration', () => {
    const port = DOCUMENTED.find(({ name }) => name === 'PORT')?.value;
    expect(readFileSync('src/operations/health/check.ts', 'utf8')).toContain(`PORT = '${port ?? ''}'`);
  });
});
