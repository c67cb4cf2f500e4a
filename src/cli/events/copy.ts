import { InvalidArgumentError } from 'commander';
import { setTimeout } from 'node:timers/promises';
import { type LogComparison, compareLogs } from '../../platform/event-sourcing/reading/compare-logs.js';
import { copyLog } from '../../platform/event-sourcing/reading/copy-log.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type RawEvent } from '../../platform/event-sourcing/recorded-event.js';
import { isMoveOf, recordMove } from '../../platform/log-moving/record-move.js';
import { connectionsOfService, type SwitchOutcome, switchLog } from '../../platform/projecting/logs/switch-log.js';
import { eventStoreUrl } from '../../platform/event-sourcing/event-store-url.js';
import { INTERRUPTED, interruptible } from '../support/interruptible.js';
import { logBar } from '../support/log-bar.js';
import { printError, printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime, type OpenLog } from '../runtime.js';

interface Options {
  readonly to: string;
  readonly from?: string;
  readonly verify?: true;
  readonly switch?: true;
  readonly json?: true;
}

interface Copying {
  readonly source: EventStore;
  readonly target: EventStore;
  readonly signal: AbortSignal;
}

interface Copied {
  readonly copied: number;
  readonly seconds: number;
  readonly compared: LogComparison;
}

interface Outcome extends Copied {
  readonly switched: SwitchOutcome | undefined;
}

const ASK_EVERY_MS = 200;

export function copyEvents(command: RupaCommand, runtime: CommandRuntime): void {
  command
    // An entry of the audit trail would be an event that only one of the two logs has.
    .changesUnaudited()
    .requiredOption('--to <url>', 'connection string of an empty event store, or of one that an earlier run began to fill', storeUrl)
    .option('--from <url>', 'connection string of the source (default: the event store of the service)', storeUrl)
    .option('--verify', 'only compare the two logs; copy nothing')
    .option('--switch', 'after the copy, wait until the service is stopped, and switch the database to the copy')
    .option('--json', 'print the result as JSON')
    .action(async (options: Options) => {
      if (options.verify && options.switch) command.error('error: --verify cannot be combined with --switch, because it changes nothing');
      const outcome = await runtime.withLog((log) => interruptible(INTERRUPTED, (signal) => run(log, options, signal)));
      printLine(options.json ? json(outcome) : inWords(outcome, options));
      if (options.verify && !outcome.compared.complete) process.exitCode = 1;
    });
}

async function run(log: OpenLog, options: Options, signal: AbortSignal): Promise<Outcome> {
  if ((options.from ?? log.eventStoreUrl) === options.to)
    throw new Error('--to names the event store that is the source. Name the target, or name both with --from and --to.');
  // A thread may have two clients here (docs/adr/0003), because the source's client appends nothing, so that responses cannot be confused.
  const [source, target] = [options.from === undefined ? log.eventStore : log.connect(options.from), log.connect(options.to)];
  const copying = { source, target, signal };
  // Events that the target already has must be equal to those of the source.
  let done: Copied = { copied: 0, seconds: 0, compared: await compared('Comparing', copying) };
  if (!options.verify) done = await copyMore(copying, done);
  if (!options.switch) return { ...done, switched: undefined };
  if (done.compared.events === 0)
    throw new Error('The source is empty: set EVENT_STORE_URL to the new event store, and start the service.');
  await serviceStopped(log, signal);
  const finish = async (): Promise<void> => {
    done = await copyMore(copying, done);
    const { complete, moved, events } = done.compared;
    if (!complete)
      throw new Error('The source receives events although the service has stopped. Stop what writes to it, and run this again.');
    if (!moved) await recordMove(target, events, new Date());
  };
  const switched = await switchLog(log.pool, source, target, finish);
  return { ...done, switched };
}

/**
 * Waits until no process of the service uses the database. All but the last events are copied and compared by then, so that the service is
 * stopped for no longer than these take.
 * @throws Error if the stores would end with the service, or if the operator interrupts
 */
async function serviceStopped({ pool, endsWithService }: OpenLog, signal: AbortSignal): Promise<void> {
  let told = false;
  for (let others = await connectionsOfService(pool); others > 0; others = await connectionsOfService(pool)) {
    if (endsWithService)
      throw new Error('A service runs on this database, and its embedded stores end with it. Stop it, and run this again.');
    if (!told) printError('Both logs are the same up to here. Stop every process of the service now; this continues when they have ended.');
    told = true;
    await setTimeout(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

function storeUrl(text: string): string {
  try {
    return eventStoreUrl(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}

/** Copies and compares the events after those that were compared. */
async function copyMore(copying: Copying, { copied, seconds, compared: since }: Copied): Promise<Copied> {
  const { source, target, signal } = copying;
  const began = performance.now();
  const more = since.moved
    ? 0
    : await shown('Copying', source, since.last?.source, (onEvents) => copyLog(source, target, since.last?.source, onEvents, signal));
  const took = (performance.now() - began) / 1_000;
  return { copied: copied + more, seconds: seconds + took, compared: await compared('Verifying', copying, since) };
}

async function compared(what: string, { source, target, signal }: Copying, since?: LogComparison): Promise<LogComparison> {
  return await shown(what, target, since?.last?.target, (onEvents) => compareLogs(source, target, onEvents, signal, isMoveOf, since));
}

/** Runs the work with a progress bar, whose end is the present end of the log. */
async function shown<T>(
  what: string,
  log: EventStore,
  after: bigint | undefined,
  work: (onEvents: (events: number, last: RawEvent) => void) => Promise<T>,
): Promise<T> {
  const [begin, end] = [after ?? 0n, (await log.headPosition()) ?? 0n];
  const bar = logBar(what);
  try {
    return await work((events, { position }) => {
      bar.show({ events, position: position - begin, target: end - begin });
    });
  } finally {
    bar.stop();
  }
}

function inWords({ copied, seconds, compared: { events, streams, heads, complete }, switched }: Outcome, { verify }: Options): string {
  const rate = copied > 0 ? ` (${Math.round(copied / seconds)} events/s)` : '';
  return [
    ...(verify ? [] : [`${copied} events copied in ${seconds.toFixed(1)} s${rate}`]),
    `${events} events in ${streams} streams are the same in both, in the same order: ids, revisions, types, data and metadata`,
    `the last hash of each of ${heads.size} wallets is the same`,
    ...(complete ? [] : ['the source has received more events since: run this again, the last time with --switch']),
    ...(switched === 'switched'
      ? ['the database now belongs to the copy: set EVENT_STORE_URL to it and start the service, which first rebuilds the read models']
      : []),
    ...(switched === 'already' ? ['the database already belonged to the copy: it was not changed'] : []),
  ].join('\n');
}

function json({ copied, seconds, compared: { events, streams, heads, complete }, switched }: Outcome): string {
  return JSON.stringify({ copied, seconds, events, streams, wallets: Object.fromEntries(heads), complete, switched: switched ?? null });
}
