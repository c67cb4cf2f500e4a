import { type ReadFrom, type ReadOptions } from '../../src/platform/event-sourcing/event-store-client/read-request.js';
import { type StoreClient } from '../../src/platform/event-sourcing/event-store-client/store-client.js';
import { type AppendResult } from '../../src/platform/event-sourcing/event-store.js';
import { type NewEvent, type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type Network } from './network.js';
import { type SimulatedProcess } from './process.js';

/** Simulates appends and reads of a stream of EventStoreDB in memory. Acknowledged events are never lost. */
export class FakeEventStore {
  private count = 0;
  private readonly streams = new Map<string, StoredEvent[]>();

  constructor(
    private readonly network: Network,
    /** Whether a repeated append is recognized. EventStoreDB may have forgotten the first one, and then refuses the second as a wrong revision. */
    private readonly remembersAppends: boolean,
    private readonly appended: (events: readonly StoredEvent[]) => void,
  ) {}

  /** Returns the client that src/platform/event-sourcing/event-store.ts uses. */
  connect(process: SimulatedProcess): StoreClient {
    const client = {
      append: (stream: string, events: readonly NewEvent[], expectedRevision: bigint | undefined) =>
        this.network.call(process, `append ${events.map(({ type }) => type).join('+')}`, () =>
          this.append(stream, events, expectedRevision),
        ),
      readStream: (stream: string, from: ReadFrom, options: ReadOptions) =>
        this.network.call(process, 'read', () => this.read(stream, from, options)),
      dispose: () => Promise.resolve(),
    };
    return client as unknown as StoreClient;
  }

  events(stream: string): StoredEvent[] {
    return [...(this.streams.get(stream) ?? [])];
  }

  private append(stream: string, events: readonly NewEvent[], expected: bigint | undefined): AppendResult {
    const log = this.streams.get(stream) ?? [];
    const current = BigInt(log.length) - 1n;
    const at = expected ?? -1n;
    if (at !== current) {
      const first = Number(at) + 1;
      const known = this.remembersAppends && events.every(({ id }, index) => log[first + index]?.id === id);
      return known ? appendedUpTo(log[first + events.length - 1]) : { kind: 'wrong_revision' };
    }
    const recorded = events.map((event, index) => this.record(stream, event, current + 1n + BigInt(index)));
    this.streams.set(stream, [...log, ...recorded]);
    this.appended(recorded);
    return appendedUpTo(recorded.at(-1));
  }

  private record(stream: string, event: NewEvent, revision: bigint): StoredEvent {
    this.count += 1;
    // The event is copied, as on the wire, so that later changes of the sender's objects have no effect.
    return { ...(JSON.parse(JSON.stringify(event)) as NewEvent), stream, revision, position: BigInt(this.count) * 100n };
  }

  private read(stream: string, from: ReadFrom, { backwards, maxCount = Infinity }: ReadOptions): StoredEvent[] {
    const log = this.streams.get(stream) ?? [];
    if (backwards) return log.slice(-maxCount).reverse();
    const first = typeof from === 'bigint' ? Number(from) : 0;
    return log.slice(first, first + maxCount);
  }
}

function appendedUpTo(last: StoredEvent | undefined): AppendResult {
  if (!last) throw new Error('An append without events.');
  return { kind: 'appended', revision: last.revision, position: last.position };
}
