import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

/** Names of a role that a file plays in every folder that has one: an entry point, a list, a context's events, refusals and public part. */
const ROLES = ['main.ts', 'index.ts', 'public.ts', 'public.spec.ts', 'events.ts', 'rejections.ts', 'rejection-responses.ts', 'server.mjs'];
/** Folders that say what their files are; a file there is named after its subject: the command `wallet`, the metrics of `wallet`. */
const SERIES = /^(src\/cli\/|src\/platform\/metrics\/definitions\/|src\/app\/settings\/declared\/|bench\/scenarios\/)/;

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'projections', 'embedded', 'bench'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|mjs)$/.test(file) && existsSync(file));

/** The files that share their base name with another one. */
function namesakes(files: readonly string[]): string[][] {
  const named = files.filter((file) => !ROLES.includes(basename(file)) && !SERIES.test(file));
  return [...Map.groupBy(named, (file) => basename(file)).values()].filter((group) => group.length > 1);
}

describe('a file name', () => {
  it('means one thing', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(namesakes(sources)).toStrictEqual([]);
  });

  it('is found where it means two', () => {
    expect(namesakes(['src/kernel/turns.ts', 'embedded/turns.ts', 'src/cli/turns.ts', 'src/main.ts', 'bench/main.ts'])).toStrictEqual([
      ['src/kernel/turns.ts', 'embedded/turns.ts'],
    ]);
  });
});
