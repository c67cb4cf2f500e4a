import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

/** Names of files with the same role in every folder: entry points, lists, and a context's events, rejections and public part. */
const ROLES = ['main.ts', 'index.ts', 'public.ts', 'public.spec.ts', 'events.ts', 'rejection-responses.ts', 'server.mjs'];
/**
 * Folders that give their files a role. A file there is named after its subject, such as the command `wallet` or the metrics of `wallet`.
 */
const SERIES = /^(src\/cli\/|src\/platform\/metrics\/definitions\/|src\/settings\/declared\/|bench\/scenarios\/)/;

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'projections', 'embedded', 'bench'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(tsx?|mjs)$/.test(file) && existsSync(file));

/** Returns the groups of files that share a base name. */
function namesakes(files: readonly string[]): string[][] {
  const named = files.filter((file) => !ROLES.includes(basename(file)) && !SERIES.test(file));
  return [...Map.groupBy(named, (file) => basename(file)).values()].filter((group) => group.length > 1);
}

describe('a file name', () => {
  it('has one meaning', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(namesakes(sources)).toStrictEqual([]);
  });

  it('is reported when it has two meanings', () => {
    expect(namesakes(['src/kernel/turns.ts', 'embedded/turns.ts', 'src/cli/turns.ts', 'src/main.ts', 'bench/main.ts'])).toStrictEqual([
      ['src/kernel/turns.ts', 'embedded/turns.ts'],
    ]);
  });
});
