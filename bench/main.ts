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
import { hostsIn } from '../src/stores/client-variables.js';
import { createEventStore } from '../src/stores/store-clients.js';
import { refuseOldNode } from '../src/platform/node-version.js';

interface Options {
  readonly only?: readonly Scenario[];
  readonly quick: boolean;
  readonly rounds?: number;
  readonly list: boolean;
  readonly keep: boolean;
  readonly eventStore?: string;
}

refuseOldNode();
const command = new Command('npm run bench --')
  .description('Measures the service and its peers in turn, in one run on this machine.')
  .option('--only <names>', 'run only these scenarios, separated by commas', parseScenarios)
  .option('--quick', 'use less data, fewer and shorter rounds; such a run decides nothing and is never kept', false)
  .option('--rounds <count>', 'measure each side this many times (1 to 100)', parseRounds)
  .option(
    '--keep',
    'write the run to docs/performance.md and docs/performance/, if it was complete, undisturbed and without failures',
    false,
  )
  .option('--event-store <url>', `run the service on this empty event store (${onEventStores().join(', ')})`)
  .option('--list', 'list the scenarios', false)
  .parse();
const options = command.opts<Options>();

if (options.list) say(scenarios.map(({ name, description }) => `${name.padEnd(14)} ${description}`).join('\n'));
else await main(options);

async function main(given: Options): Promise<void> {
  const { quick, rounds: wanted, keep: isKeepRequested, eventStore: eventStoreUrl } = given;
  const only = given.only ?? (eventStoreUrl === undefined ? scenarios : scenarios.filter(({ takesEventStore }) => takesEventStore));
  const eventStore = eventStoreUrl === undefined ? {} : { eventStore: await describeEventStore(eventStoreUrl, only) };
  const load = loadPerCore();
  const cleanUp = new CleanUp();
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      complain('Stopping all started processes …');
      void cleanUp.run().then(() => process.exit(code));
    });
  }
  try {
    const generator = loadGenerator(cleanUp);
    const bench = new Bench(cleanUp, generator, { quick, rounds: wanted, eventStoreUrl });
    const about = {
      at: new Date().toISOString(),
      quick,
      commit: commit(),
      machine: machine(),
      loadGenerator: generator.name,
      loadPerCore: load,
      ...eventStore,
    };
    const reports: ScenarioReport[] = [];
    for (const scenario of only) reports.push(await runScenario(bench, scenario));
    await bench.closeEnvironment();
    await finish({ ...about, scenarios: reports }, isKeepRequested);
  } finally {
    await cleanUp.run();
  }
}

/** Runs a scenario. A failure is part of its report, so that the figures of the other scenarios are not lost. */
async function runScenario(bench: Bench, { name, description, run }: Scenario): Promise<ScenarioReport> {
  complain(`${name}: ${description}`);
  const began = performance.now();
  const finished = (): { noise: ReturnType<Bench['takeNoise']>; seconds: number } => ({
    noise: bench.takeNoise(),
    seconds: (performance.now() - began) / 1_000,
  });
  try {
    const { figures, series = [], notes = [] } = await run(bench);
    return { name, figures, series, notes, ...finished() };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    await bench.reset();
    complain(`  failed: ${error instanceof Error ? (error.stack ?? failure) : failure}`);
    return { name, figures: [], series: [], notes: [], failure, ...finished() };
  }
}

async function finish(report: RunReport, isKeepRequested: boolean): Promise<void> {
  say(drawTable(report));
  const folder = await writeResults(report);
  say(`Raw figures and plots are in ${folder}`);
  if (report.scenarios.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  if (!isKeepRequested) return;
  if (isGood(report)) say(`Written to ${(await keep(report)).join(' and ')}`);
  else
    complain(
      'Not kept: the run must not be --quick or have an --event-store, no scenario may fail, and other programs must leave the machine idle.',
    );
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

function onEventStores(): string[] {
  return scenarios.filter(({ takesEventStore }) => takesEventStore).map(({ name }) => name);
}

/** Returns the address and the version of an event store. Ends the program if a scenario cannot run on it, or it does not respond. */
async function describeEventStore(url: string, only: readonly Scenario[]): Promise<string> {
  const other = only.find(({ takesEventStore }) => !takesEventStore);
  if (other)
    command.error(`The scenario ${other.name} runs on the embedded event store only; --event-store takes ${onEventStores().join(', ')}.`);
  const eventStore = createEventStore(url);
  try {
    return `${hostsIn(url)}, version ${(await eventStore.serverVersion()) || 'unknown'}`;
  } catch (error) {
    return command.error(error instanceof Error ? error.message : String(error));
  } finally {
    await eventStore.close();
  }
}

function parseScenarios(text: string): Scenario[] {
  return text.split(',').map((name) => {
    const found = scenarios.find((scenario) => scenario.name === name.trim());
    if (!found)
      throw new InvalidArgumentError(
        `There is no scenario "${name.trim()}". The scenarios are ${scenarios.map((scenario) => scenario.name).join(', ')}.`,
      );
    return found;
  });
}

function parseRounds(text: string): number {
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
