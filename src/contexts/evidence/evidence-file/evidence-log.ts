import { isUtf8 } from 'node:buffer';
import { jsonLine } from '../../../kernel/json.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type TimedRawEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { CommandAbandoned } from '../../../platform/event-sourcing/writing/batch.js';

/** Events per read. Memory holds two pages at once, and events may be large. */
const PAGE = 250;
/** Number of leaves between two positions that are remembered. */
const MARKED_EVERY = 4_096;

export interface EvidenceOptions {
  /** Index of the first leaf. */
  readonly from: number;
  /** Stops the reading when it is aborted. */
  readonly signal?: AbortSignal;
  /** Called with the number of leaves that were read since the last call, those before `from` included. */
  readonly onRead?: (leaves: number) => void;
}

/**
 * The leaves of the log as the lines of the evidence file (evidence, "The evidence file"). A leaf has its index by counting from the log's
 * beginning, so the positions of some leaves are remembered: an auditor who fetches the file piece by piece does not make the process read the whole log each time.
 */
export class EvidenceLog {
  /** The position before every {@link MARKED_EVERY}th leaf, as far as the log was read. */
  private readonly marks: (bigint | undefined)[] = [undefined];

  constructor(private readonly eventStore: Pick<EventStore, 'exactPage' | 'headPosition'>) {}

  /**
   * Yields the lines of the leaves that are in the log at the first call, page by page.
   * @throws CommandAbandoned if the signal is aborted
   */
  async *lines({ from, signal, onRead }: EvidenceOptions): AsyncGenerator<string> {
    const head = await this.eventStore.headPosition();
    if (head === undefined) return;
    const mark = Math.min(Math.floor(from / MARKED_EVERY), this.marks.length - 1);
    let index = mark * MARKED_EVERY;
    for await (const page of this.pages(this.marks[mark], head)) {
      if (signal?.aborted) throw new CommandAbandoned('The caller had given up.');
      let lines = '';
      for (const event of page) {
        if (index >= from) lines += lineOf(index, event);
        index += 1;
        if (index === this.marks.length * MARKED_EVERY) this.marks.push(event.position);
      }
      onRead?.(page.length);
      if (lines !== '') yield lines;
    }
  }

  /** Yields the pages after a position, up to the event at `head`. It reads one page ahead of the caller. */
  private async *pages(after: bigint | undefined, head: bigint): AsyncGenerator<readonly TimedRawEvent[]> {
    let reading = this.eventStore.exactPage(after, PAGE);
    for (;;) {
      const { events, next } = await reading;
      const isLast = next === undefined || next >= head;
      if (!isLast) {
        reading = this.eventStore.exactPage(next, PAGE);
        // A caller that stops early never awaits this page, so its failure must not become an unhandled rejection.
        reading.catch(() => undefined);
      }
      yield isLast ? events.filter(({ position }) => position <= head) : events;
      if (isLast) return;
    }
  }
}

function lineOf(index: number, { stream, revision, type, id, createdMs, data, metadata }: TimedRawEvent): string {
  const created = new Date(createdMs).toISOString();
  return jsonLine({
    index,
    stream,
    revision: Number(revision),
    type,
    id,
    created,
    ...exactText('data', data),
    ...exactText('metadata', metadata),
  });
}

function exactText(name: string, bytes: Buffer): Record<string, string> {
  return isUtf8(bytes) ? { [name]: bytes.toString('utf8') } : { [`${name}_base64`]: bytes.toString('base64') };
}
