// Compiles src/, projections/, embedded/ and bench/ into dist/, bundles what processes start with, and copies the files of docs/ that
// the service sends, unless dist/ is up to date. Runs on Node 20.
//
// dist/ is a link to .build/<fingerprint of the sources>. A build compiles into a folder of its own and then replaces the link in one
// step, so that a command that starts meanwhile finds either the old or the new build, and a process that runs an older build keeps its
// files. It may be called by several processes at once.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { bundle } from './bundle.mjs';
import { JSX } from './jsx.mjs';
import { packSdk, sdkSources } from './pack-sdk.mjs';

const DIST = 'dist';
const BUILDS = '.build';
/** Processes may still load modules of an older build, so the newest ones remain. */
const BUILDS_KEPT = 4;
const DAY_MS = 86_400_000;
const FOLDERS = ['src', 'projections', 'embedded', 'bench'];
/** Markdown of the pages below /docs/guides (src/documentation/pages/guides.ts). */
const GUIDES = ['docs/audit.md', ...readdirSync('docs/partners').map((name) => join('docs/partners', name))].sort();
/** Files of docs/ that the service sends. */
const COPIED = [...GUIDES, 'docs/audit/audit.mjs'];
/** The package for partners (src/documentation/pages/serve-documentation.ts). */
const SDK_PACKAGE = 'docs/rupa-client.tgz';
/** Lists the files of the bundles, and is written last. */
const BUNDLED = 'bundled.json';
const CONFIGURATION = [
  '.swcrc',
  'scripts/jsx.mjs',
  'scripts/bundle.mjs',
  'scripts/pack-sdk.mjs',
  'nest-cli.json',
  'tsconfig.json',
  'package-lock.json',
];

const sources = FOLDERS.flatMap((folder) => sourcesIn(folder)).sort();
const build = join(BUILDS, fingerprint());
const isLinked = () => lstatSync(DIST, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(DIST) === build;

if (!(isLinked() && isComplete(build))) {
  mkdirSync(BUILDS, { recursive: true });
  if (!isComplete(build)) await compile();
  link();
  removeOldBuilds();
}
// Last, because `npm run sdk` needs the build to generate types that the package may already use.
if (!existsSync(join(build, SDK_PACKAGE))) await addSdkPackage();

function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    // .swcrc leaves out the specs.
    return /\.tsx?$/.test(path) && !/\.spec\.tsx?$/.test(path) ? [path] : [];
  });
}

function fingerprint() {
  return hashOf([...CONFIGURATION, ...COPIED, ...sdkSources(), ...sources]);
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

function compiled(path) {
  return path.replace(/\.tsx?$/, '.js');
}

/** Returns whether the folder has a module for every source, every file of the bundles, and every copied file. */
function isComplete(folder) {
  const list = join(folder, BUNDLED);
  if (!existsSync(list)) return false;
  const bundled = JSON.parse(readFileSync(list, 'utf8'));
  return [...COPIED, ...sources, ...bundled].every((path) => existsSync(join(folder, compiled(path))));
}

async function compile() {
  const nest = compiler();
  const unfinished = `${build}.${process.pid}`;
  const project = `${unfinished}.json`;
  // tsconfig.json excludes the modules for browsers, because they are checked with other types.
  writeFileSync(project, JSON.stringify({ extends: '../tsconfig.json', compilerOptions: { outDir: resolve(unfinished) }, exclude: [] }));
  try {
    // The output of a command that is run after the build may be read by a program, so everything said here goes to standard error.
    const { status } = spawnSync(process.execPath, [nest, 'build', '--path', project], { stdio: ['ignore', 2, 2] });
    if (status === 0) compileJsx(unfinished);
    if (status === 0) for (const path of COPIED) cpSync(path, join(unfinished, path));
    if (status === 0) writeFileSync(join(unfinished, BUNDLED), JSON.stringify(await bundle(unfinished)));
    if (status !== 0 || !isComplete(unfinished)) {
      process.stderr.write('The build failed. dist/ is as it was.\n');
      process.exit(1);
    }
    chmodSync(join(unfinished, 'src/cli.js'), 0o755);
    move(unfinished, build);
  } finally {
    rmSync(project, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Builds whose package has the same sources share it. */
async function addSdkPackage() {
  const shared = join(BUILDS, `sdk-${hashOf(sdkSources())}.tgz`);
  try {
    await packSdk(BUILDS, shared);
  } catch (error) {
    process.stderr.write(`${error.message} The service is built, without its package. If calls changed, run: npm run sdk\n`);
    process.exit(1);
  }
  const copy = join(build, `${SDK_PACKAGE}.${process.pid}`);
  cpSync(shared, copy);
  renameSync(copy, join(build, SDK_PACKAGE));
}

/** Compiles the files with JSX, which the Nest compiler cannot tell from the others: in them, a type parameter looks like a tag. */
function compileJsx(folder) {
  const { transformFileSync } = createRequire(import.meta.url)('@swc/core');
  for (const path of sources.filter((source) => source.endsWith('.tsx'))) {
    const { code, map } = transformFileSync(path, { ...JSX, outputPath: join(folder, compiled(path)) });
    const target = join(folder, compiled(path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}\n//# sourceMappingURL=${basename(target)}.map\n`);
    writeFileSync(`${target}.map`, map);
  }
}

/** Returns the path of the compiler, which is a development package. */
function compiler() {
  try {
    return createRequire(import.meta.url).resolve('@nestjs/cli/bin/nest.js');
  } catch {
    process.stderr.write(
      'dist/ does not match the sources, and the packages that build it are not installed. ' +
        'Run: npm ci && npm run build && npm prune --omit=dev (docs/operations.md, "Upgrade").\n',
    );
    process.exit(1);
  }
}

/** Moves a finished build to its place, unless another process has finished the same build. */
function move(from, to) {
  // A folder that lost files is no build.
  if (existsSync(to) && !isComplete(to)) renameSync(to, `${to}.broken-${process.pid}`);
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isComplete(to)) throw error;
  }
}

function link() {
  const next = join(BUILDS, `link-${process.pid}`);
  rmSync(next, { force: true });
  symlinkSync(build, next, 'dir');
  // Earlier versions of this script made a folder.
  if (lstatSync(DIST, { throwIfNoEntry: false })?.isDirectory()) renameSync(DIST, join(BUILDS, `folder-${process.pid}`));
  renameSync(next, DIST);
  const now = new Date();
  utimesSync(build, now, now);
}

/** Returns whether the process whose id ends the name still runs. */
function isBuilding(name) {
  const [, pid] = /(\d+)(?:\.json)?$/.exec(name) ?? [];
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes all but the newest builds, and what interrupted builds left behind. A build in progress must stay. */
function removeOldBuilds() {
  const others = readdirSync(BUILDS)
    .map((name) => ({ name, path: join(BUILDS, name), used: statSync(join(BUILDS, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .filter(({ path }) => path !== build)
    .sort((one, other) => other.used - one.used);
  const builds = others.filter(({ name }) => /^(?:[0-9a-f]{16}|folder-\d+)$/.test(name));
  const packages = others.filter(({ name }) => /^sdk-[0-9a-f]{16}\.tgz$/.test(name));
  const interrupted = others.filter(
    (entry) => ![...builds, ...packages].includes(entry) && (!isBuilding(entry.name) || Date.now() - entry.used > DAY_MS),
  );
  for (const { path } of [...builds.slice(BUILDS_KEPT - 1), ...packages.slice(BUILDS_KEPT), ...interrupted])
    rmSync(path, { recursive: true, force: true });
}
