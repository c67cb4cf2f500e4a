// `npm run test:flaky -- <path>...` repeats test files beside two busy loops, to find tests that pass only on an idle machine. It stops at
// the first failure, whose output it shows, and says how often the files passed. In every other round, the tests have the lowest priority
// (nice 19), so that they hardly run while the loops are busy, which is four fifths of the time in those rounds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

const ROUNDS = 10;
const BUSY_LOOPS = 2;
const LOWEST_PRIORITY = 19;
/** The configuration of each folder whose tests `npm test` does not run. */
const CONFIGURATIONS = { 'test/slow': 'slow', 'test/browser': 'browser', 'test/tools': 'tools' };
/** A process at the lowest priority may take this many times as long. A test that waits for ever still ends. */
const PATIENCE = { normal: '2', lowest: '10' };
// The loop ends with this process, however this process ends, because it also looks at its standard input. Arguments: the milliseconds
// for which it is busy at a time, and for which it pauses.
const BUSY_LOOP = `const [busy, pause] = process.argv.slice(1).map(Number);
  process.stdin.on('end', () => process.exit()).resume();
  const spin = () => { for (const until = performance.now() + busy; performance.now() < until;); setTimeout(spin, pause); }; spin();`;
const BUSY_MS = { normal: [20, 0], lowest: [800, 200] };
const USAGE = `Usage: npm run test:flaky -- [--rounds N] [-t <title>] <file or folder>...`;

const { rounds, title, paths } = argumentsOf(process.argv.slice(2));
const [configuration, specs] = specsOf(paths);
const running = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    endAll();
  });
}

// The guard ends the processes by their ids if this process is killed.
const guard = start([resolve('test/support/pid-guard.mjs')], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
const passed = await repeat().finally(endAll);
guard.stdin.end();
process.stdout.write(`${specs.length === 1 ? specs[0] : `${specs.length} files`}: passed ${passed} of ${rounds} rounds\n`);
process.exitCode = interrupted ? 130 : passed === rounds ? 0 : 1;

/** Returns how many rounds passed before the first that failed. */
async function repeat() {
  for (let round = 1; round <= rounds; round += 1) {
    const priority = round % 2 === 0 ? 'lowest' : 'normal';
    const began = performance.now();
    const { code, output } = await runTests(priority);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    if (interrupted) return round - 1;
    process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}  round ${round}, ${priority} priority, ${seconds} s\n`);
    if (code !== 0) {
      process.stdout.write(output);
      return round - 1;
    }
  }
  return rounds;
}

async function runTests(priority) {
  const args = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', `--config=${configuration}`];
  if (title !== undefined) args.push('-t', title);
  const loops = Array.from({ length: BUSY_LOOPS }, () =>
    guarded(start(['-e', BUSY_LOOP, '--', ...BUSY_MS[priority].map(String)], { stdio: ['pipe', 'ignore', 'inherit'] })),
  );
  const child = start([...args, '--runTestsByPath', ...specs], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TEST_PATIENCE: PATIENCE[priority] },
  });
  if (priority === 'lowest') setPriority(child.pid, LOWEST_PRIORITY);
  guarded(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  for (const loop of loops) loop.kill('SIGKILL');
  return { code, output };
}

function start(args, options) {
  return spawn(process.execPath, args, options);
}

function guarded(child) {
  running.add(child);
  guard.stdin.write(`+${child.pid}\n`);
  child.once('exit', () => {
    running.delete(child);
    guard.stdin.write(`-${child.pid}\n`);
  });
  return child;
}

function endAll() {
  for (const child of running) child.kill('SIGKILL');
}

function argumentsOf(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { rounds: { type: 'string', default: String(ROUNDS) }, testNamePattern: { type: 'string', short: 't' } },
    });
    const rounds = Number(values.rounds);
    if (!Number.isSafeInteger(rounds) || rounds < 1) fail(`--rounds must be a whole number of at least 1, not ${values.rounds}.`);
    if (positionals.length === 0) fail('Name at least one test file or folder.');
    return { rounds, title: values.testNamePattern, paths: positionals.map((path) => relative('.', path)) };
  } catch (error) {
    return fail(error.message);
  }
}

/** Returns the configuration that runs all these files, and the files. */
function specsOf(paths) {
  const specs = paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return fail(`${path} does not exist.`);
    return stats.isDirectory() ? globSync(join(path, '**/*.spec.{ts,tsx}')).sort() : [path];
  });
  if (specs.length === 0) fail(`${paths.join(' and ')} contains no test file.`);
  const configurations = new Set(specs.map(configurationOf));
  if (configurations.size > 1) fail(`These files belong to several tiers (${[...configurations].join(', ')}). Repeat one tier at a time.`);
  return [[...configurations][0], specs];
}

function configurationOf(spec) {
  const tier = spec.endsWith('.slow.spec.ts')
    ? 'slow'
    : Object.entries(CONFIGURATIONS).find(([folder]) => spec.startsWith(`${folder}/`))?.[1];
  const isUnit = !spec.startsWith('test/') || spec.startsWith('test/tidy/');
  if (tier === undefined) return isUnit ? 'test/tiers/unit.config.js' : 'jest.config.js';
  return `test/tiers/${tier}.config.js`;
}

function fail(message) {
  process.stderr.write(`${message}\n${USAGE}\n`);
  process.exit(2);
}
