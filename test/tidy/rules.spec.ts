import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';

/** Rows of `docs/rules.md`: | rule | file: part of a test's title | */
const rows = readFileSync('docs/rules.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, rule, reference] = /^\| (.+?) +\| (.+?) +\|$/.exec(line) ?? [];
    const [, file, title] = /^(\S+\.spec\.ts): ?(.*)$/.exec(reference ?? '') ?? [];
    return rule !== undefined && file !== undefined
      ? [{ rule, file: file.startsWith('e2e/') ? `test/${file}` : file, title: title ?? '' }]
      : [];
  });

describe('the table of rules', () => {
  it('has a row for every part of the specification with rules', () => {
    const parts = new Set(rows.map(({ rule }) => rule.split(' ')[0]?.split('.')[0]));
    for (const part of ['1', '2', '3', '4', '5', '7', '8', 'D']) expect(parts).toContain(part);
  });

  it.each(rows.map(({ rule, file, title }) => [rule, file, title] as const))('names an existing test for: %s', (_rule, file, title) => {
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(title);
  });
});
