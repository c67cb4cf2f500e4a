// `npm run bench:compare -- <commit> [--only lookups] [--runs 2]` measures the working tree and an earlier commit in turn, by quick runs of
// the benchmark, and prints what became better or worse. A run takes about a minute for each scenario. It finds a loss before a feature is
// finished; whether a goal is met is decided by a kept run (docs/performance/method.md).
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { median } from 'simple-statistics';

const USAGE = 'Usage: npm run bench:compare -- <commit> [--only <scenario>,…] [--runs N]';
/** Quick runs of one build in turn differ by about a tenth. */
const NOISE = 0.1;

const { commit, only, runs } = argumentsOf(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'rupa-bench-compare-'));
// Under root, PostgreSQL runs as a user of its own, which has to reach the packages of the earlier commit.
chmodSync(folder, 0o711);
const earlier = join(folder, 'earlier');
// A terminal sends the signal to the running child, too. Its end makes this program go on to the removal of the folder.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
try {
  git('worktree', 'add', '--quiet', '--detach', earlier, commit);
  if (git('diff', '--name-only', commit, '--', 'package-lock.json') === '')
    symlinkSync(resolve('node_modules'), join(earlier, 'node_modules'));
  else run('npm', ['ci', '--silent'], earlier);
  for (const tree of [earlier, '.']) run('npm', ['run', '--silent', 'build'], tree);
  const measured = { [earlier]: new Map(), '.': new Map() };
  for (let count = 0; count < runs; count += 1)
    for (const tree of count % 2 === 0 ? [earlier, '.'] : ['.', earlier]) add(measured[tree], bench(tree));
  print(measured[earlier], measured['.']);
} finally {
  if (existsSync(earlier)) git('worktree', 'remove', '--force', earlier);
  rmSync(folder, { recursive: true });
}

function argumentsOf(args) {
  const options = { only: { type: 'string', default: 'lookups' }, runs: { type: 'string', default: '2' } };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (positionals.length !== 1 || !/^[1-9]\d?$/.test(values.runs)) {
    console.error(USAGE);
    process.exit(2);
  }
  return { commit: git('rev-parse', '--short', '--verify', `${positionals[0]}^{commit}`), only: values.only, runs: Number(values.runs) };
}

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`git ${args[0]} ended with ${status}.`);
  return stdout.trim();
}

function run(program, args, cwd) {
  const { status, signal } = spawnSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status ?? signal}.`);
}

/** Returns the figures of a quick run. */
function bench(tree) {
  console.error(tree === earlier ? commit : 'the working tree');
  run('node', ['--enable-source-maps', 'dist/bench/main.js', '--quick', '--only', only], tree);
  const results = join(tree, 'bench/results');
  const report = JSON.parse(readFileSync(join(results, readdirSync(results).sort().at(-1), 'run.json'), 'utf8'));
  return report.scenarios.flatMap(({ name, figures }) => figures.map((figure) => ({ ...figure, scenario: name })));
}

/** Adds what each round measured: the ratio to the baseline, or the service's figure where there is none. */
function add(measured, figures) {
  let of = '';
  for (const { scenario, label, baseline, ours, theirs } of figures) {
    if (!label.startsWith('…')) of = label;
    const name = [scenario, label.startsWith('…') ? `${of} ${label}` : label, baseline].join('\n');
    const values = ours.map((value, round) => (theirs.length === 0 ? value : value / theirs[round]));
    measured.set(name, [...(measured.get(name) ?? []), ...values]);
  }
}

function print(before, after) {
  const table = new Table({ head: ['Measurement', 'Baseline', commit, 'Now', 'Now / then'], style: { head: [], border: [] } });
  for (const [name, values] of after) {
    const [, label, baseline] = name.split('\n');
    const known = before.get(name);
    // The earlier commit may not have had the row.
    if (!known) continue;
    const [then, now] = [median(known), median(values)];
    const change = now / then;
    const mark = Math.abs(change - 1) > NOISE ? ' !' : '';
    table.push([label, baseline, ...[then, now].map((value) => value.toPrecision(3)), `${change.toFixed(2)}${mark}`]);
  }
  console.log(table.toString());
  console.log(`Medians of ${2 * runs} rounds. "!" marks a change of more than a tenth; repeat the comparison before you believe it.`);
}
