import { Command, InvalidArgumentError } from 'commander';
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { execFileSync } from 'node:child_process';
import { Bench, type Scenario } from './bench.js';
import { loadGenerator } from './load/load.js';
import { keep } from './report/keep.js';
import { writeResults } from './report/results.js';
import { type Machine, type RunReport, type ScenarioReport } from './report/run-report.js';
import { drawTable, isGood } from './report/table.js';
import { scenarios } from './scenarios/index.js';
import { CleanUp } from './support/clean-up.js';
import { loadPerCore } from './support/noise.js';
import { refuseOldNode } from '../src/node-version.js';

interface Options {
  readonly only?: readonly Scenario[];
  readonly quick: boolean;
  readonly rounds?: number;
  readonly list: boolean;
  readonly keep: boolean;
}

refuseOldNode();
const options = new Command('npm run bench --')
  .description('measures the service against peers, side by side in one run')
  .option('--only <names>', 'some of the scenarios, separated by commas', chosen)
  .option('--quick', 'smaller data, fewer and shorter rounds; decides nothing, and is never kept', false)
  .option('--rounds <count>', 'how often each side is measured', rounds)
  .option('--keep', 'write a good run to docs/performance.md', false)
  .option('--list', 'name the scenarios', false)
  .parse()
  .opts<Options>();

if (options.list) say(scenarios.map(({ name, what }) => `${name.padEnd(12)} ${what}`).join('\n'));
else await main(options);

async function main({ only = scenarios, quick, rounds: wanted, keep: isToBeKept }: Options): Promise<void> {
  const load = loadPerCore();
  const cleanUp = new CleanUp();
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      complain('Stopping what was started …');
      void cleanUp.run().then(() => process.exit(code));
    });
  }
  try {
    const generator = loadGenerator(cleanUp);
    const bench = new Bench(cleanUp, generator, { quick, rounds: wanted });
    const about = {
      at: new Date().toISOString(),
      quick,
      commit: commit(),
      machine: machine(),
      loadGenerator: generator.name,
      loadPerCore: load,
    };
    const reports: ScenarioReport[] = [];
    for (const scenario of only) reports.push(await runScenario(bench, scenario));
    await bench.closeWorld();
    await finish({ ...about, scenarios: reports }, isToBeKept);
  } finally {
    await cleanUp.run();
  }
}

/** One that fails leaves the others' figures as they are. */
async function runScenario(bench: Bench, { name, what, run }: Scenario): Promise<ScenarioReport> {
  complain(`${name}: ${what}`);
  const began = performance.now();
  const done = (): { noise: ReturnType<Bench['takeNoise']>; seconds: number } => ({
    noise: bench.takeNoise(),
    seconds: (performance.now() - began) / 1_000,
  });
  try {
    const { figures, series = [], notes = [] } = await run(bench);
    return { name, figures, series, notes, ...done() };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    await bench.reset();
    complain(`  failed: ${error instanceof Error ? (error.stack ?? failure) : failure}`);
    return { name, figures: [], series: [], notes: [], failure, ...done() };
  }
}

async function finish(report: RunReport, isToBeKept: boolean): Promise<void> {
  say(drawTable(report));
  const folder = await writeResults(report);
  say(`Figures and plots: ${folder}`);
  if (report.scenarios.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  if (!isToBeKept) return;
  if (isGood(report)) say(`Kept in ${await keep(report)}`);
  else complain('Not kept: only a whole run on a quiet machine is, in which nothing failed.');
}

function machine(): Machine {
  const model = cpus()[0]?.model.trim() ?? '';
  return {
    cores: availableParallelism(),
    processor: model === '' ? 'unknown make' : model,
    memoryGiB: totalmem() / 1_024 ** 3,
    system: `${platform()} ${release().split('.', 2).join('.')}`,
    node: process.versions.node,
  };
}

function commit(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
  } catch {
    return 'unknown';
  }
}

function chosen(text: string): Scenario[] {
  return text.split(',').map((name) => {
    const found = scenarios.find((scenario) => scenario.name === name.trim());
    if (!found) throw new InvalidArgumentError(`There are: ${scenarios.map((scenario) => scenario.name).join(', ')}.`);
    return found;
  });
}

function rounds(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 100) throw new InvalidArgumentError('It must be a whole number from 1 to 100.');
  return count;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}
