// `npm run check`: every check that needs no server, two at a time. What a check prints is shown only where it fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const CACHE = 'node_modules/.cache/check';
const LANES = 2;

/** The longest first, so that the lanes end together. Lint and types read the client that is generated from the OpenAPI document. */
const checks = [
  { name: 'client', command: ['npm', 'run', '--silent', 'client'] },
  { name: 'unit', command: ['npm', 'run', '--silent', 'unit'] },
  { name: 'lint', command: ['npx', 'eslint', '.', ...cached('eslint')], after: 'client' },
  { name: 'types', command: ['npx', 'tsc', '-p', '.', '--noEmit', '--incremental', '--tsBuildInfoFile', `${CACHE}/tsc`], after: 'client' },
  { name: 'format', command: ['npm', 'run', '--silent', 'format', '--', ...cached('prettier')] },
  { name: 'boundaries', command: ['npm', 'run', '--silent', 'boundaries'] },
  { name: 'graph', command: ['npm', 'run', '--silent', 'architecture', '--', '--check'] },
];

/** ESLint's and Prettier's options to leave out files that have not changed. */
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

const waiting = [...checks];
const results = new Map();

/** Takes the first check whose predecessor has ended, until none is left. */
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
