import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { NODE_MAJOR, unsupportedNodeMessage } from './node-version.js';

const read = (path: string): string => readFileSync(path, 'utf8');
const { engines, dependencies } = JSON.parse(read('package.json')) as { engines: { node: string }; dependencies: { node: string } };

describe('the version of Node', () => {
  it.each(['18.20.8', '20.20.2', '22.21.0', '23.11.1'])('refuses Node %s with a sentence that says how to start', (version) => {
    expect(unsupportedNodeMessage(version, 'dist/src/cli.js')).toBe(
      `This is Node ${version}; the service runs on Node 24 or newer. npm ci installs one: use npm start and npx rupa, or start it by hand with npx node dist/src/cli.js`,
    );
  });

  it.each(['24.0.0', '24.21.0', '25.1.0', '100.0.0'])('accepts Node %s', (version) => {
    expect(unsupportedNodeMessage(version, 'dist/src/main.js')).toBeUndefined();
  });

  it('is the one that package.json installs', () => {
    expect(dependencies.node.split('.')[0]).toBe(String(NODE_MAJOR));
  });

  it.each(['README.md', 'CONTRIBUTING.md', 'docs/operations.md'])('is explained in %s in the same words, as in `engines`', (page) => {
    const least = /^>=(\d+)$/.exec(engines.node)?.[1] ?? '';
    expect(read(page)).toContain(
      `npm and the scripts need Node ${least} or newer. The service runs on Node ${NODE_MAJOR}, which \`npm ci\` installs as a package; started by an older Node, it says so and ends with 1.`,
    );
  });

  it.each(['src/main.ts', 'src/cli.ts'])('is checked by %s before anything else is imported', (entry) => {
    const source = read(entry);
    const imports = [...source.matchAll(/^import .* from '(.+)';$/gm)].map(([, from]) => from);
    expect(imports).toStrictEqual(['./compile-cache.js', './platform/node-version.js', './unread-output.js']);
    expect(source).toMatch(
      /^refuseOldNode\(\);\ncacheCompiledModules\(\);\noutliveReaders\(\);\n(?:\/\/ .*\ndelete process\.env\.\w+;\n)?await import\('\.\/app\/[\w-]+\.js'\);\n$/m,
    );
  });
});
