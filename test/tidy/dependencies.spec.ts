import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

type Versions = Readonly<Record<string, string>>;
interface Manifest {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
  readonly overrides: Versions;
}

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
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

  it('have their overrides explained', () => {
    const overrides = sections.find((section) => section.startsWith('Overrides')) ?? '';
    for (const name of Object.keys(manifest.overrides)) expect(overrides).toContain(`\`${name}\``);
  });
});

describe('the lock file', () => {
  const packages = Object.entries(lock).filter(([path]) => path !== '');

  it('holds the versions of package.json', () => {
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
      for (const [name, version] of Object.entries(manifest[kind]))
        expect([name, lock[`node_modules/${name}`]?.version]).toStrictEqual([name, version]);
    }
  });

  it('holds a hash for every package, and no address', () => {
    expect(packages.length).toBeGreaterThan(500);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toStrictEqual([]);
    expect(
      packages.filter(([, { integrity, link, inBundle }]) => !integrity?.startsWith('sha512-') && !link && !inBundle).map(([path]) => path),
    ).toStrictEqual([]);
  });
});
