import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';

const page = readFileSync('docs/security.md', 'utf8');
const files = [...page.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file ?? '');

describe('the threat model', () => {
  it('names a test for every defence', () => {
    const [, section = ''] = page.split('\n## What is defended\n');
    const defences = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('- '));
    expect(defences.length).toBeGreaterThan(20);
    expect(defences.filter((line) => !line.includes('.spec.ts`'))).toStrictEqual([]);
  });

  it.each(files)('names the existing file %s', (file) => {
    expect(existsSync(file)).toBe(true);
  });
});
