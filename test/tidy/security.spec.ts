import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';

const page = readFileSync('docs/security.md', 'utf8');
const files = [...page.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file ?? '');

describe('the threat model', () => {
  it('names a test for every door', () => {
    const doors = page
      .split('\n')
      .filter((line) => /^\| [^|]*\| .*\|$/.test(line) && line.split('|').length === 5 && !/^\| (Door|---)/.test(line));
    expect(doors.length).toBeGreaterThan(10);
    expect(doors.filter((line) => !line.includes('.spec.ts`'))).toStrictEqual([]);
  });

  it.each(files)('%s, which it names, is there', (file) => {
    expect(existsSync(file)).toBe(true);
  });
});
