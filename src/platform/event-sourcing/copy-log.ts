import { type EventStore, NO_EVENTS } from './event-store.js';
import { logPages } from './read-log.js';
import { type StoredEvent } from './recorded-event.js';

/** As the writer's own: below what any server takes in one append. */
const MAX_BYTES_PER_APPEND = 512 * 1024;
const MAX_EVENTS_PER_APPEND = 1_000;

/**
 * Appends what the source holds after `after` to the target, up to where the source ends by then, in the order of its $all: one append
 * after another, each at the exact revision, neighbours of one stream together. The order of the target's $all is thereby the source's.
 * @throws Error where somebody else writes to the target, or where the source's streams do not begin at their beginning.
 */
export async function copyLog(
  source: EventStore,
  target: EventStore,
  after: bigint | undefined,
  onEvents: (events: number, last: StoredEvent) => void,
  signal: AbortSignal,
): Promise<number> {
  let copied = 0;
  for await (const page of logPages(source, after)) {
    for (const run of runsOf(page)) {
      signal.throwIfAborted();
      await append(target, run);
      copied += run.length;
      onEvents(copied, run.at(-1) ?? run[0]);
    }
  }
  return copied;
}

async function append(target: EventStore, run: Run): Promise<void> {
  const [{ stream, revision }] = run;
  const foreign = run.find(({ data, metadata }) => typeof data !== 'object' || typeof (metadata as unknown) !== 'object');
  if (foreign)
    throw new Error(
      `${stream}@${foreign.revision} is none of this service's events, which are JSON with metadata: this log cannot be copied.`,
    );
  const { kind } = await target.append(stream, run, revision === 0n ? NO_EVENTS : revision - 1n);
  if (kind === 'wrong_revision')
    throw new Error(
      `The target did not take ${stream}@${revision}: its stream does not end before it. Nobody else may write to the target; where nobody does, copy to an empty one.`,
    );
}

type Run = readonly [StoredEvent, ...StoredEvent[]];

/** Neighbours of one stream. */
function* runsOf(page: readonly StoredEvent[]): Generator<Run> {
  let run: [StoredEvent, ...StoredEvent[]] | undefined;
  let bytes = 0;
  for (const event of page) {
    const size = JSON.stringify([event.data, event.metadata]).length;
    if (run?.[0].stream === event.stream && bytes + size <= MAX_BYTES_PER_APPEND && run.length < MAX_EVENTS_PER_APPEND) {
      run.push(event);
      bytes += size;
      continue;
    }
    if (run) yield run;
    [run, bytes] = [[event], size];
  }
  if (run) yield run;
}
