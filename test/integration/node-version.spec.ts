import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** A module that runs before the entry point and makes Node report an older version. */
const OLD = `data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });',
)}`;

describe('on an older Node,', () => {
  it.each(['main', 'cli'])('the entry point %s exits with 1 and an explanation before it does anything else', (entry) => {
    const path = resolve(`dist/src/${entry}.js`);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', OLD, path, '--help'], {
      encoding: 'utf8',
      env: { ...process.env, PORT: 'eighty' },
    });
    expect([status, stdout, stderr]).toStrictEqual([1, '', expect.stringMatching(/^This is Node 20\.20\.2; .+ npx node \S+\n$/)]);
  });
});
