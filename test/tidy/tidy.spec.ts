import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const sources = files.filter((file) => /^(src|projections|embedded)\/.*\.ts$/.test(file));
const read = (file: string): string => readFileSync(file, 'utf8');

/** Returns the anchors of a document's headings. Repeated headings are numbered from the second one on. */
function anchorsIn(document: string): Set<string> {
  const headings = document.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  const anchors = new Set<string>();
  for (const [, heading = ''] of headings) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

describe('the repository', () => {
  it('has a spec next to every decider and every projection', () => {
    const needed = sources.filter(
      (file) => file.endsWith('.projection.ts') || (file.includes('/domain/') && read(file).includes(': Decider<')),
    );
    expect(needed.length).toBeGreaterThan(10);
    expect(needed.filter((file) => !files.includes(file.replace(/\.ts$/, '.spec.ts')))).toStrictEqual([]);
  });

  it('has at most about fifteen files in a folder of sources, not counting specs', () => {
    const folders = sources.filter((file) => !file.endsWith('.spec.ts')).map((file) => dirname(file));
    const full = [...new Set(folders)].filter((folder) => folders.filter((each) => each === folder).length > 16);
    expect(full).toStrictEqual([]);
  });

  it('focuses or skips no test', () => {
    const tests = files.filter((file) => file.endsWith('.spec.ts'));
    const narrowed = tests.filter((file) =>
      /\b(it|test|describe)\.(only|skip|todo)\b|\bx(it|describe)\(/.test(read(file).replaceAll(/\/.*\/\.test/g, '')),
    );
    expect(narrowed).toStrictEqual([]);
  });

  it('pins every dependency exactly, and its lock file contains no address', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string> | undefined> & { workspaces: string[] };
    const versions = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) => Object.entries(manifest[kind] ?? {}));
    expect(versions.length).toBeGreaterThan(30);
    expect(versions.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toStrictEqual([]);
    // A link to a workspace names its folder.
    expect([...read('package-lock.json').matchAll(/"resolved": "(.*)"/g)].map(([, folder]) => folder)).toStrictEqual(manifest.workspaces);
  });

  it('links only to existing files', () => {
    const documents = files.filter((file) => file.endsWith('.md'));
    const links = documents.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => join(dirname(file), target ?? '')),
    );
    expect(links.filter((target) => !existsSync(target))).toStrictEqual([]);
  });

  it('links only to existing headings', () => {
    const documents = files.filter((file) => file.endsWith('.md'));
    const anchorsOf = new Map(documents.map((file) => [file, anchorsIn(read(file))]));
    const links = documents.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(([, target = '', anchor = '']) => ({
        file,
        target: target === '' ? file : join(dirname(file), target),
        anchor,
      })),
    );
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter(({ target, anchor }) => anchorsOf.get(target)?.has(anchor) === false)).toStrictEqual([]);
  });

  it('computes the anchor of a heading as GitHub does', () => {
    const text = '# A lookup: `rupa`, "2"\n```sh\n# no heading\n```\n## [Un_der](a.md) – x\n## Twice\n## Twice\n';
    expect([...anchorsIn(text)]).toStrictEqual(['a-lookup-rupa-2', 'un_der--x', 'twice', 'twice-1']);
  });

  it('names only compiled files that a source file is compiled to', () => {
    const users = files.filter((file) => /^(scripts|ops|test|examples|bench)\/.*\.(mjs|ts|yml)$/.test(file) || file === 'package.json');
    const named = users.flatMap((file) =>
      [...read(file).matchAll(/\bdist\/((?:src|embedded|bench|projections)\/[\w./-]+)\.js\b/g)].map(([, path = '']) => `${path}.ts`),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((source) => !files.includes(source) && !files.includes(`${source}x`))).toStrictEqual([]);
  });

  it('lists every page of docs/ in docs/README.md', () => {
    const pages = files.filter((file) => /^docs\/(partners\/)?[^/]+\.md$/.test(file) && file !== 'docs/README.md');
    const index = read('docs/README.md');
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((file) => !index.includes(`](${file.replace('docs/', '')})`))).toStrictEqual([]);
  });
});
