import { InvalidArgumentError } from 'commander';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { logPages } from '../../platform/event-sourcing/reading/read-log.js';
import { type StoredEvent } from '../../platform/event-sourcing/recorded-event.js';
import { subscribeInBatches } from '../../platform/projecting/applying/batches.js';
import { INTERRUPTED, interruptible } from '../support/interruptible.js';
import { printable } from '../support/output.js';
import { writeToStdout } from '../support/write-output.js';
import { wholeNumber } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const MAX_LINES = 1_000_000;
const FOLLOWED_AT_ONCE = 500;
const WIDTHS = { position: 10, time: 24, event: 44, type: 20 };
const CORRELATION_SHOWN = 8;

interface Options {
  readonly category?: string;
  readonly from?: bigint;
  readonly lines: number;
  readonly follow?: true;
  readonly json?: true;
}

export function tailEvents(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .option('--category <name>', 'only streams of this category, such as wallet or farmer')
    .option('--from <position>', 'all events from this position on, instead of the newest', position)
    .option('-n, --lines <count>', 'number of newest events', wholeNumber(0, MAX_LINES), 20)
    .option('-f, --follow', 'keep printing new events until Ctrl-C')
    .option('--json', 'print one JSON object per line, with data and metadata')
    .action(async (options: Options) => {
      const write = options.json ? jsonLine : line;
      await runtime.withLog(({ eventStore }) =>
        interruptible(INTERRUPTED, (signal) => writeToStdout(lines(tail(eventStore, options, signal), write))),
      );
    });
}

function position(text: string): bigint {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError('It must be a position, as rupa events tail prints it.');
  return BigInt(text);
}

async function* lines(batches: AsyncIterable<readonly StoredEvent[]>, write: (event: StoredEvent) => string): AsyncGenerator<string> {
  for await (const batch of batches) if (batch.length > 0) yield batch.map(write).join('');
}

async function* tail(eventStore: EventStore, options: Options, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
  const wanted = ({ stream }: StoredEvent): boolean => options.category === undefined || stream.startsWith(`${options.category}-`);
  let seen = options.from === 0n ? undefined : options.from;
  if (options.from === undefined) {
    const newest = await newestOf(eventStore, options.lines, wanted, signal);
    seen = newest.head;
    yield newest.events;
  } else {
    for await (const page of from(eventStore, options.from)) {
      if (signal.aborted) return;
      seen = page.at(-1)?.position;
      yield page.filter(wanted);
    }
  }
  if (!options.follow || signal.aborted) return;
  for await (const batch of subscribeInBatches(eventStore, seen, FOLLOWED_AT_ONCE, signal)) yield batch.filter(wanted);
}

/** Reads the log from a position, inclusive. */
async function* from(eventStore: EventStore, first: bigint): AsyncGenerator<readonly StoredEvent[]> {
  const there = first === 0n ? undefined : await eventStore.eventAt(first);
  if (there) yield [there];
  yield* logPages(eventStore, first === 0n ? undefined : first);
}

async function newestOf(
  eventStore: EventStore,
  count: number,
  wanted: (event: StoredEvent) => boolean,
  signal: AbortSignal,
): Promise<{ events: readonly StoredEvent[]; head: bigint | undefined }> {
  const found: StoredEvent[] = [];
  let [head, after]: [bigint | undefined, bigint | undefined] = [undefined, undefined];
  do {
    const { events, next } = await eventStore.allPage({ after, backwards: true });
    head ??= events[0]?.position;
    found.push(...events.filter(wanted));
    after = next;
  } while (after !== undefined && found.length < count && !signal.aborted);
  return { events: found.slice(0, count).reverse(), head };
}

function line({ position: at, stream, revision, type, data, metadata }: StoredEvent): string {
  const { recorded_at } = data;
  const columns = [
    at.toString().padStart(WIDTHS.position),
    (typeof recorded_at === 'string' ? recorded_at : '').padEnd(WIDTHS.time),
    `${stream}@${revision}`.padEnd(WIDTHS.event),
    type.padEnd(WIDTHS.type),
    ((metadata as Partial<typeof metadata> | undefined)?.$correlationId ?? '').slice(0, CORRELATION_SHOWN),
  ];
  return `${printable(columns.join('  ')).trimEnd()}\n`;
}

/** Writes positions as decimal text, because they may be too large for an exact JavaScript number. */
function jsonLine({ position: at, id, stream, revision, type, data, metadata }: StoredEvent): string {
  return `${JSON.stringify({ position: at.toString(), id, stream, revision: Number(revision), type, data, metadata })}\n`;
}
