import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

type Versions = Readonly<Record<string, string>>;
interface Manifest {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
  readonly overrides: Versions;
  readonly scripts: Readonly<Record<string, string>>;
  readonly workspaces: readonly string[];
}

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const lock = (JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Readonly<Record<string, Locked>> }).packages;
const page = readFileSync('docs/dependencies.md', 'utf8');
const sections = page.split(/^## /m).slice(1);
const rows = (section: string): { name: string; why: string }[] =>
  [...section.matchAll(/^\| `([^`]+)` +\| (.+) \|$/gm)].map(([, name = '', why = '']) => ({ name, why }));

describe('direct dependencies', () => {
  it.each([
    ['Of the service', 'dependencies'],
    ['Of the embedded stores', 'optionalDependencies'],
    ['Of development', 'devDependencies'],
  ] as const)('each have a reason: %s', (title, kind) => {
    const listed = rows(sections.find((section) => section.startsWith(title)) ?? '');
    expect(listed.map(({ name }) => name)).toStrictEqual(Object.keys(manifest[kind]).sort());
    expect(listed.filter(({ why }) => why.trim() === '')).toStrictEqual([]);
  });

  it('are those of package-lock.json, which npm else corrects while it prunes, so that the build no longer matches its sources', () => {
    const root = (lock[''] ?? {}) as Partial<Manifest>;
    for (const kind of ['dependencies', 'optionalDependencies', 'devDependencies'] as const)
      expect([kind, root[kind]]).toStrictEqual([kind, manifest[kind]]);
  });

  it('are all installed, also the optional ones, which npm leaves out without a word if they need a newer Node than its own', () => {
    const names = (['dependencies', 'optionalDependencies', 'devDependencies'] as const).flatMap((kind) => Object.keys(manifest[kind]));
    expect(names.filter((name) => !existsSync(`node_modules/${name}/package.json`))).toStrictEqual([]);
  });

  it('do not exist of the package for partners', () => {
    const sdk = JSON.parse(readFileSync('sdk/package.json', 'utf8')) as Record<string, unknown>;
    expect(Object.keys(sdk).filter((key) => /dependencies/i.test(key))).toStrictEqual([]);
  });

  it('have their overrides explained', () => {
    const overrides = sections.find((section) => section.startsWith('Overrides')) ?? '';
    for (const name of Object.keys(manifest.overrides)) expect(overrides).toContain(`\`${name}\``);
  });
});

/** Optional peer dependencies that we need, with the package that asks for each because of how we use it. */
const OPTIONAL_PEERS: Readonly<Record<string, string>> = {
  '@swc/cli': '@nestjs/cli',
};
/** Packages that a configuration names as text. */
const NAMED_IN: Readonly<Record<string, string>> = {
  '@swc/jest': 'test/tiers/projects.js',
  '@commitlint/config-conventional': 'commitlint.config.js',
};

const code = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.js', '*.mjs', '*.cjs'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const imported = new Set(
  code.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /(?:\bfrom|\bimport|\bimport\(|\b(?:require|resolve|createRequire\(import\.meta\.url\))\()\s*'([^'.][^']*)'/g,
      ),
    ].map(([, path = '']) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? ''),
  ),
);
const commands = Object.values(manifest.scripts).join('\n');
const direct = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies });

/** Direct dependencies that nothing imports, no script runs, and no other direct dependency asks for. */
function unusedAmong(names: readonly string[]): string[] {
  return names.filter((name) => {
    const isCalled =
      commands.includes(`node_modules/${name}/`) ||
      Object.keys(lock[`node_modules/${name}`]?.bin ?? {}).some((bin) => new RegExp(`(^|[\\s"])${bin}\\s`, 'm').test(commands));
    const isTyping = name.startsWith('@types/') && names.includes(name.slice('@types/'.length));
    const isNamed = name in NAMED_IN && readFileSync(NAMED_IN[name] ?? '', 'utf8').includes(`'${name}'`);
    return !imported.has(name) && !isCalled && !isTyping && !isNamed && !isPeer(name, names);
  });
}

function isPeer(name: string, names: readonly string[]): boolean {
  return names.some((user) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = lock[`node_modules/${user}`] ?? {};
    return name in peerDependencies && (!peerDependenciesMeta[name]?.optional || OPTIONAL_PEERS[name] === user);
  });
}

describe('a direct dependency', () => {
  it('is imported, run by a script, or asked for by another one', () => {
    expect(unusedAmong(direct)).toStrictEqual([]);
  });

  it('is found when nothing uses it', () => {
    expect(unusedAmong([...direct, '@nestjs/testing', '@types/right-pad', 'left-pad'])).toStrictEqual([
      '@nestjs/testing',
      '@types/right-pad',
      'left-pad',
    ]);
  });
});

describe('the lock file', () => {
  const packages = Object.entries(lock).filter(([path]) => path !== '' && !manifest.workspaces.includes(path));

  it('holds the versions of package.json', () => {
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
      for (const [name, version] of Object.entries(manifest[kind]))
        expect([name, lock[`node_modules/${name}`]?.version]).toStrictEqual([name, version.replace(/^npm:.+@/, '')]);
    }
  });

  it('holds a hash for every package, and no address', () => {
    expect(packages.length).toBeGreaterThan(500);
    expect(packages.filter(([, { resolved, link }]) => resolved !== undefined && !link)).toStrictEqual([]);
    expect(
      packages.filter(([, { integrity, link, inBundle }]) => !integrity?.startsWith('sha512-') && !link && !inBundle).map(([path]) => path),
    ).toStrictEqual([]);
  });
});
