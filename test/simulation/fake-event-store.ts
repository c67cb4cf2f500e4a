import { type EventStoreDBClient, StreamNotFoundError, WrongExpectedVersionError } from '@eventstore/db-client';
import { toStored } from '../../src/event-sourcing/event-store.js';
import { type StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { type Network } from './network.js';
import { type SimulatedProcess } from './process.js';

interface Message {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  /** JSON. */
  readonly metadata: Uint8Array;
}

interface Recorded extends Omit<Message, 'metadata'> {
  readonly metadata: unknown;
  readonly streamId: string;
  readonly revision: bigint;
  readonly position: { readonly commit: bigint; readonly prepare: bigint };
}

interface ReadOptions {
  readonly direction: string;
  readonly fromRevision: bigint | 'start' | 'end';
  readonly maxCount?: number;
}

/** What EventStoreDB does with appends and reads of a stream, in memory. What it acknowledged survives everything. */
export class FakeEventStore {
  private count = 0;
  private readonly streams = new Map<string, Recorded[]>();

  constructor(
    private readonly network: Network,
    /** Whether it knows a repeated append again; EventStoreDB may have forgotten it, and then refuses it as a wrong revision. */
    private readonly remembersAppends: boolean,
    private readonly appended: (events: readonly StoredEvent[]) => void,
  ) {}

  /** The port that src/event-sourcing/event-store.ts uses. */
  connect(process: SimulatedProcess): EventStoreDBClient {
    const client = {
      appendToStream: (stream: string, messages: readonly Message[], { expectedRevision }: { expectedRevision: bigint | 'no_stream' | 'any' }) =>
        this.network.call(process, `append ${messages.map(({ type }) => type).join('+')}`, () => this.append(stream, messages, expectedRevision)),
      readStream: (stream: string, options: ReadOptions) => {
        const reading = this.network.call(process, 'read', () => this.read(stream, options));
        return (async function* () {
          for (const event of await reading) yield { event };
        })();
      },
      dispose: () => Promise.resolve(),
    };
    return client as unknown as EventStoreDBClient;
  }

  events(stream: string): StoredEvent[] {
    return (this.streams.get(stream) ?? []).map((event) => toStored(event as never));
  }

  private append(stream: string, messages: readonly Message[], expected: bigint | 'no_stream' | 'any') {
    const log = this.streams.get(stream) ?? [];
    const current = BigInt(log.length) - 1n;
    const at = expected === 'no_stream' ? -1n : expected === 'any' ? current : expected;
    if (at !== current) {
      const place = Number(at) + 1;
      const known = this.remembersAppends && messages.every(({ id }, index) => log[place + index]?.id === id);
      if (known) return answer(log[place + messages.length - 1] as Recorded);
      throw new WrongExpectedVersionError(undefined, { streamName: stream, expected: at, current });
    }
    const recorded = messages.map((message, index) => this.record(stream, message, current + 1n + BigInt(index)));
    this.streams.set(stream, [...log, ...recorded]);
    this.appended(recorded.map((event) => toStored(event as never)));
    return answer(recorded.at(-1) as Recorded);
  }

  private record(streamId: string, { id, type, data, metadata }: Message, revision: bigint): Recorded {
    const commit = BigInt((this.count += 1)) * 100n;
    // As on the wire: what the sender does with its objects later is its own affair.
    const content = { data: JSON.parse(JSON.stringify(data)) as unknown, metadata: JSON.parse(new TextDecoder().decode(metadata)) as unknown };
    return { id, type, ...content, streamId, revision, position: { commit, prepare: commit } };
  }

  private read(stream: string, { direction, fromRevision, maxCount = Infinity }: ReadOptions): Recorded[] {
    const log = this.streams.get(stream);
    if (!log) throw new StreamNotFoundError(undefined, stream);
    if (direction === 'backwards') return log.slice(-maxCount).reverse();
    const from = typeof fromRevision === 'bigint' ? Number(fromRevision) : 0;
    return log.slice(from, from + maxCount);
  }
}

function answer({ revision, position }: Recorded) {
  return { success: true, nextExpectedRevision: revision, position };
}
