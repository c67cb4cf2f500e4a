// `npm run check` runs every check that needs no server, two at a time. It shows the output of a check only if the check fails.
// `npm run check -- --without unit` leaves one out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

const CACHE = 'node_modules/.cache/check';
const LANES = 2;
/** The compiler in Go takes a third of the processor time of the one in JavaScript, which ESLint and Nest use as a library. */
const TSC = ['node', 'node_modules/typescript-7/bin/tsc', '--singleThreaded', '--noEmit', '-p'];

/**
 * The longest checks come first, so that both lanes finish at about the same time. `lint` and `types` need the generated client, whose build
 * also compiles and packs the SDK.
 */
const checks = [
  { name: 'client', command: ['npm', 'run', '--silent', 'client'] },
  { name: 'unit', command: ['npm', 'run', '--silent', 'unit'] },
  { name: 'lint', command: ['npx', 'eslint', '.', ...cached('eslint')], after: 'client' },
  { name: 'types', command: [...TSC, '.', '--incremental', '--tsBuildInfoFile', `${CACHE}/tsc`], after: 'client' },
  { name: 'types of browsers', command: [...TSC, 'src/console/browser'], after: 'client' },
  { name: 'format', command: ['npm', 'run', '--silent', 'format', '--', ...cached('prettier')] },
  { name: 'boundaries', command: ['npm', 'run', '--silent', 'boundaries'] },
  { name: 'unused', command: ['npm', 'run', '--silent', 'unused'], after: 'client' },
  { name: 'sdk', command: ['node', 'scripts/generate-sdk.mjs', '--check'], after: 'client' },
  { name: 'commits', command: ['npm', 'run', '--silent', 'commits'] },
  { name: 'graph', command: ['npm', 'run', '--silent', 'architecture', '--', '--check'] },
];

/** Returns the options with which ESLint and Prettier skip unchanged files. */
function cached(tool) {
  return ['--cache', '--cache-strategy', 'content', '--cache-location', `${CACHE}/${tool}`];
}

async function run({ name, command: [program, ...args] }) {
  const began = Date.now();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  const seconds = ((Date.now() - began) / 1_000).toFixed(1);
  console.log(`${code === 0 ? 'passed' : 'FAILED'}  ${name.padEnd(10)} ${seconds.padStart(6)} s`);
  if (code !== 0) console.log(output.trimEnd());
  return code === 0;
}

const { values } = parseArgs({ options: { without: { type: 'string', multiple: true, default: [] } } });
const unknown = values.without.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0)
  throw new Error(`There is no check ${unknown.join(', ')}. There are: ${checks.map(({ name }) => name).join(', ')}.`);
const waiting = checks.filter(({ name }) => !values.without.includes(name));
const results = new Map();

/** Runs one check after the other, each time the first whose predecessor has started, until none is left. */
async function lane() {
  for (;;) {
    const index = waiting.findIndex(({ after }) => after === undefined || results.has(after));
    if (index === -1) return;
    const [next] = waiting.splice(index, 1);
    const skipped = next.after !== undefined && !(await results.get(next.after));
    const result = skipped ? false : run(next);
    results.set(next.name, result);
    await result;
  }
}

await Promise.all(Array.from({ length: LANES }, lane));
process.exitCode = (await Promise.all(results.values())).every(Boolean) ? 0 : 1;
