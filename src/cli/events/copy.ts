import { InvalidArgumentError } from 'commander';
import { type LogComparison, compareLogs } from '../../platform/event-sourcing/reading/compare-logs.js';
import { copyLog } from '../../platform/event-sourcing/reading/copy-log.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type RawEvent } from '../../platform/event-sourcing/recorded-event.js';
import { isMoveOf, recordMove } from '../../platform/log-moving/record-move.js';
import { type SwitchOutcome, switchLog } from '../../platform/projecting/logs/switch-log.js';
import { eventStoreUrl } from '../../platform/event-sourcing/event-store-url.js';
import { INTERRUPTED, interruptible } from '../support/interruptible.js';
import { logBar } from '../support/log-bar.js';
import { printLine } from '../support/output.js';
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

interface Outcome {
  readonly copied: number;
  readonly seconds: number;
  readonly compared: LogComparison;
  readonly switched: SwitchOutcome | undefined;
}

export function copyEvents(command: RupaCommand, runtime: CommandRuntime): void {
  command
    // An entry of the audit trail would be an event that only one of the two logs has.
    .changesUnaudited()
    .requiredOption('--to <url>', 'connection string of an empty event store, or of one that an earlier run began to fill', storeUrl)
    .option('--from <url>', 'connection string of the source (default: the event store of the service)', storeUrl)
    .option('--verify', 'only compare the two logs; copy nothing')
    .option('--switch', 'after the copy, switch the database to it; the service must be stopped')
    .option('--json', 'print the result as JSON')
    .action(async (options: Options) => {
      if (options.verify && options.switch) command.error('error: --verify cannot be combined with --switch, because it changes nothing');
      const outcome = await runtime.withLog((log) => interruptible(INTERRUPTED, (signal) => run(log, options, signal)));
      printLine(options.json ? json(outcome) : inWords(outcome, options));
      if (options.verify && !outcome.compared.complete) process.exitCode = 1;
    });
}

async function run(
  { eventStore, eventStoreUrl: configuredUrl, pool, connect }: OpenLog,
  options: Options,
  signal: AbortSignal,
): Promise<Outcome> {
  if ((options.from ?? configuredUrl) === options.to)
    throw new Error('--to names the event store that is the source. Name the target, or name both with --from and --to.');
  // A thread may have two clients here (docs/adr/0003), because the source's client appends nothing, so that responses cannot be confused.
  const [source, target] = [options.from === undefined ? eventStore : connect(options.from), connect(options.to)];
  const done = await copy({ source, target, signal }, options);
  const { events, moved } = done.compared;
  const complete = async (): Promise<void> => {
    if (!moved) await recordMove(target, events, new Date());
  };
  return { ...done, switched: options.switch ? await switchLog(pool, source, target, complete) : undefined };
}

function storeUrl(text: string): string {
  try {
    return eventStoreUrl(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}

async function copy(copying: Copying, options: Options): Promise<Omit<Outcome, 'switched'>> {
  const { source, target, signal } = copying;
  let [copied, seconds] = [0, 0];
  if (!options.verify) {
    // Events that the target already has must be equal to those of the source.
    const { last, moved } = await compared('Comparing', copying);
    const began = performance.now();
    if (!moved)
      copied = await shown('Copying', source, last?.position, (onEvents) => copyLog(source, target, last?.position, onEvents, signal));
    seconds = (performance.now() - began) / 1_000;
  }
  const found = await compared('Verifying', copying);
  if (options.switch && !found.complete)
    throw new Error('The source received more events during the copy. Stop the service, and run this again.');
  if (options.switch && found.events === 0)
    throw new Error('The source is empty: set EVENT_STORE_URL to the new event store, and start the service.');
  return { copied, seconds, compared: found };
}

async function compared(what: string, { source, target, signal }: Copying): Promise<LogComparison> {
  return await shown(what, target, undefined, (onEvents) => compareLogs(source, target, onEvents, signal, isMoveOf));
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
    ...(complete ? [] : ['the source has received more events since: run this again, the last time with the service stopped']),
    ...(switched === 'switched'
      ? ['the database now belongs to the copy: set EVENT_STORE_URL to it and start the service, which first rebuilds the read models']
      : []),
    ...(switched === 'already' ? ['the database already belonged to the copy: it was not changed'] : []),
  ].join('\n');
}

function json({ copied, seconds, compared: { events, streams, heads, complete }, switched }: Outcome): string {
  return JSON.stringify({ copied, seconds, events, streams, wallets: Object.fromEntries(heads), complete, switched: switched ?? null });
}
