import { type EventStore, NO_EVENTS } from '../event-store.js';
import { exactPages } from './read-log.js';
import { type ExactEvent, type RawEvent } from '../recorded-event.js';

/** The same limit as the stream writer's, below what any server accepts in one append. */
const MAX_BYTES_PER_APPEND = 512 * 1024;
const MAX_EVENTS_PER_APPEND = 1_000;

/**
 * Copies the events of the source after `after` to the target, up to the source's end, in the order of $all, and returns their number.
 * Ids, types and bytes stay the same, also of events that another program wrote, so the leaves of the tree of the log do (docs/adr/0040).
 * Appends are sequential and at exact revisions, with consecutive events of one stream in one append, which preserves the order of $all.
 * @throws Error if another client writes to the target, or if a stream of the source lacks its first events
 */
export async function copyLog(
  source: EventStore,
  target: EventStore,
  after: bigint | undefined,
  onEvents: (events: number, last: RawEvent) => void,
  signal: AbortSignal,
): Promise<number> {
  let copied = 0;
  for await (const page of exactPages(source, after)) {
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
  const { kind } = await target.appendExactly(stream, run, revision === 0n ? NO_EVENTS : revision - 1n);
  if (kind === 'wrong_revision')
    throw new Error(
      `The target did not accept ${stream}@${revision}, because its stream does not end just before that revision. Make sure that nothing else writes to the target, or copy to an empty event store.`,
    );
}

type CopiedEvent = RawEvent & ExactEvent;
type Run = readonly [CopiedEvent, ...CopiedEvent[]];

/** Splits a page into runs of consecutive events of one stream, each small enough for one append. */
function* runsOf(page: readonly CopiedEvent[]): Generator<Run> {
  let run: [CopiedEvent, ...CopiedEvent[]] | undefined;
  let bytes = 0;
  for (const event of page) {
    const size = event.data.length + event.metadata.length;
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
