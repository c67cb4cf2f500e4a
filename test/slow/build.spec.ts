import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const COPIED = [
  'scripts',
  'docs/partners',
  'docs/audit.md',
  'docs/audit/audit.mjs',
  '.swcrc',
  'nest-cli.json',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];
/** The modules that processes and threads start with. */
const { ENTRIES } = (await import(pathToFileURL('scripts/bundle.mjs').href)) as { readonly ENTRIES: readonly string[] };
const MODULES = 20;
const SHARED = 'src/shared.ts';
/** A small project with the modules that processes start with, so that a build takes a second. */
const SOURCES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ENTRIES.map((path) => [path.replace(/\.js$/, '.ts'), `import '${relative(dirname(path), SHARED).replace(/\.ts$/, '.js')}';\n`]),
  ),
  'src/main.ts': "import { shared } from './shared.js';\nshared();\n",
  'src/cli.ts': `#!/usr/bin/env node\nimport { shared } from './shared.js';\nshared();\nfor (let n = 0; n < ${MODULES}; n += 1) await import(new URL(\`later/module-\${n}.js\`, import.meta.url).href);\n`,
  [SHARED]: "import pino from 'pino';\nexport const shared = (): unknown => pino;\n",
  'src/console/browser/audit-worker.ts': "import './audit.mjs';\nimport '../../shared.js';\n",
  'src/screen.tsx': 'export const screen = (): unknown => <p>text</p>;\n',
  'projections/index.ts': 'export const projections = [];\n',
  'sdk/package.json': '{"name":"@rupa/client","version":"1.0.0"}\n',
  'bench/main.ts': "import '../projections/index.js';\n",
  ...Object.fromEntries(Array.from({ length: MODULES }, (_, n) => [`src/later/module-${n}.ts`, `export const value: number = ${n};\n`])),
};

let clone: string;

beforeEach(() => {
  clone = mkdtempSync(join(realpathSync(tmpdir()), 'build-'));
  for (const path of COPIED) cpSync(path, join(clone, path), { recursive: true });
  for (const [path, text] of Object.entries(SOURCES)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(clone, 'node_modules'));
});
afterEach(() => {
  rmSync(clone, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, args, { cwd: clone, stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}
const build = (): Promise<number | null> => run('scripts/build.mjs');
/** Runs a command that goes on loading modules after its start. */
const command = (): Promise<number | null> => run('dist/src/cli.js');
const change = (text: string): void => {
  appendFileSync(join(clone, 'src/cli.ts'), text);
};
const linked = (): string => readlinkSync(join(clone, 'dist'));

describe('a build', () => {
  it('of a fresh clone by several processes at once makes one build, which is not made again while the sources stay the same', async () => {
    expect(await Promise.all([build(), build(), build()])).toStrictEqual([0, 0, 0]);
    expect(await command()).toBe(0);
    const [first, { mtimeMs }] = [linked(), statSync(join(clone, 'dist/src/cli.js'))];
    expect(await build()).toBe(0);
    expect([linked(), statSync(join(clone, 'dist/src/cli.js')).mtimeMs]).toStrictEqual([first, mtimeMs]);
    expect(statSync(join(clone, 'dist/src/cli.js')).mode & 0o111).toBe(0o111);
    expect(readdirSync(join(clone, '.build')).map((name) => name.split('-')[0])).toStrictEqual([
      expect.stringMatching(/^[0-9a-f]{16}$/),
      'sdk',
    ]);
  });

  it('prints nothing to standard output, which may be that of a command', () => {
    expect(
      execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ).toBe('');
  });

  it('of changed sources breaks no command beside it, and keeps the files of the build before', async () => {
    // Earlier versions built into a folder.
    mkdirSync(join(clone, 'dist/src'), { recursive: true });
    await build();
    const before = linked();
    for (const text of ['// one\n', '// two\n']) {
      change(text);
      const building = build();
      const isBuilding = { value: true };
      void building.then(() => (isBuilding.value = false));
      do expect(await command()).toBe(0);
      while (isBuilding.value);
      expect(await building).toBe(0);
    }
    expect(linked()).not.toBe(before);
    expect(existsSync(join(clone, before, 'src/main.js'))).toBe(true);
  });

  it('of sources that do not compile fails and leaves the build before as it is', async () => {
    await build();
    const before = linked();
    change('const = ;\n');
    expect(await build()).not.toBe(0);
    expect(linked()).toBe(before);
    expect(await command()).toBe(0);
  });

  it('of a package that cannot be packed fails, and leaves the service built', async () => {
    expect(await build()).toBe(0);
    expect(existsSync(join(clone, 'dist/docs/rupa-client.tgz'))).toBe(true);
    writeFileSync(join(clone, 'sdk/package.json'), '{"name":"@rupa/client"}\n');
    expect([await build(), await command(), existsSync(join(clone, 'dist/docs/rupa-client.tgz'))]).toStrictEqual([1, 0, false]);
    expect(await build()).toBe(1);
    expect(readdirSync(join(clone, '.build')).filter((name) => name.startsWith('pack.'))).toStrictEqual([]);
  });

  it('is made again when files of it are gone', async () => {
    await build();
    rmSync(join(clone, 'dist/src/main.js'));
    expect(await build()).toBe(0);
    expect(existsSync(join(clone, 'dist/src/main.js'))).toBe(true);
    rmSync(join(clone, 'dist/docs/audit.md'));
    expect(await build()).toBe(0);
    expect(existsSync(join(clone, 'dist/docs/audit.md'))).toBe(true);
    rmSync(join(clone, 'dist'));
    expect(await build()).toBe(0);
    expect(await command()).toBe(0);
  });
});
