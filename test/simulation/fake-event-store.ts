import {
  type ReadFrom,
  type ReadOptions,
  type LogEntry,
} from '../../src/platform/event-sourcing/event-store-client/messages/read-message.js';
import { type PositionUnknown, type StoreClient } from '../../src/platform/event-sourcing/event-store-client/store-client.js';
import { CommitTimeout, NodeNotServing } from '../../src/platform/event-sourcing/event-store-client/store-errors.js';
import { type AppendResult } from '../../src/platform/event-sourcing/event-store.js';
import { type NewEvent, type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type Random } from '../support/random.js';
import { type Network, NoResponse } from './network.js';
import { type SimulatedProcess } from './process.js';
import { type Scheduler } from './scheduler.js';

/** How a node of EventStoreDB treats an append while its cluster elects a leader or is overloaded. */
const TREATMENTS = { served: 6, notReady: 1, notLeader: 1, commitTimeout: 2, withoutPosition: 1, silentAboutRepetitions: 3 };
const MAX_LATE_COMMIT_MS = 4_000;
/** Positions in $all are not consecutive. */
const POSITIONS_APART = 100n;

/** Events before a revision are hidden by $tb, or by a soft deletion; older ones than some milliseconds by $maxAge. */
export type Hidden = { readonly beforeRevision: bigint } | { readonly olderThanMs: number };

/** Simulates appends and reads of a stream of EventStoreDB in memory. Acknowledged events are never lost. */
export class FakeEventStore {
  /** While it is set, appends are treated as {@link TREATMENTS} says. */
  faulty = false;
  /** When each event was appended, by its id: the store's own time, in milliseconds since the history began. */
  readonly created = new Map<string, number>();
  /** Hides the beginning of every stream, as the metadata of a stream does. */
  hidden: Hidden | undefined;
  private count = 0;
  private readonly streams = new Map<string, StoredEvent[]>();
  /** Reads in flight of each process, and the ones that wait for their end. */
  private readonly calls = new Map<SimulatedProcess, number>();
  private readonly waiting = new Map<SimulatedProcess, (() => void)[]>();

  /** @param maxCalls calls that a connection carries at a time; further ones wait in the client's transport */
  constructor(
    private readonly network: Network,
    private readonly scheduler: Scheduler,
    private readonly random: Random,
    private readonly maxCalls: number,
    /** Whether a repeated append is recognized. EventStoreDB may have forgotten the first one, and then refuses the second as a wrong revision. */
    private readonly remembersAppends: boolean,
    private readonly appended: (events: readonly StoredEvent[]) => void,
  ) {}

  /** Returns the client that src/platform/event-sourcing/event-store.ts uses. */
  connect(process: SimulatedProcess): StoreClient {
    const client = {
      hasOtherNodes: true,
      leaderIs: () => undefined,
      append: (stream: string, events: readonly NewEvent[], expectedRevision: bigint | undefined) =>
        this.network.call(process, `append ${events.map(({ type }) => type).join('+')}`, () =>
          this.treat(process, stream, events, expectedRevision),
        ),
      readStream: (stream: string, from: ReadFrom, options: ReadOptions) =>
        this.inTurn(process, () =>
          this.network.call(process, 'read', () => {
            if (this.events(stream).some((event) => this.isHidden(event))) process.recordHindrance();
            return this.read(stream, from, options);
          }),
        ),
      lastRevision: (stream: string) =>
        this.inTurn(process, () => this.network.call(process, 'ask for the last revision', () => BigInt(this.events(stream).length) - 1n)),
      readAll: (from: ReadFrom, options: ReadOptions) =>
        this.inTurn(process, () => this.network.call(process, 'read $all', () => this.readAll(from, options))),
      dispose: () => Promise.resolve(),
    };
    return client as unknown as StoreClient;
  }

  events(stream: string): StoredEvent[] {
    return [...(this.streams.get(stream) ?? [])];
  }

  /** Returns the events of all streams, oldest first. */
  log(): StoredEvent[] {
    return [...this.streams.values()].flat().sort((one, other) => Number(one.position - other.position));
  }

  /** Returns the index of the event at a position, as the tree of the log's events tells it; null before the first event. */
  indexAt(position: bigint): number | null {
    return position < 0n ? null : Number(position / POSITIONS_APART) - 1;
  }

  private readAll(from: ReadFrom, { backwards, maxCount = Infinity }: ReadOptions): LogEntry[] {
    const log = backwards ? this.log().reverse() : this.log();
    const isAfter = ({ position }: StoredEvent): boolean => typeof from !== 'bigint' || (backwards ? position <= from : position >= from);
    const read = log.filter(isAfter).slice(0, maxCount);
    return read.map((event) => ({ event, position: event.position, createdMs: 0 }));
  }

  /** Makes a read when the connection of the process carries fewer calls than it may. */
  private async inTurn<T>(process: SimulatedProcess, call: () => Promise<T>): Promise<T> {
    const [open, waiting] = [this.calls.get(process) ?? 0, this.waiting.get(process) ?? []];
    this.waiting.set(process, waiting);
    if (open >= this.maxCalls) await new Promise<void>((resolve) => waiting.push(resolve));
    else this.calls.set(process, open + 1);
    // A call that gets no response ends when the client is replaced.
    const ended = new Promise<void>((resolve) => {
      this.scheduler.after(5_000, resolve);
    });
    const made = call();
    void Promise.race([made.catch(() => undefined), ended]).then(() => {
      const next = waiting.shift();
      if (next) next();
      else this.calls.set(process, (this.calls.get(process) ?? 1) - 1);
    });
    return await made;
  }

  private treat(
    process: SimulatedProcess,
    stream: string,
    events: readonly NewEvent[],
    expected: bigint | undefined,
  ): AppendResult | PositionUnknown {
    const treatment = this.faulty ? this.random.weighted(TREATMENTS) : 'served';
    if (treatment !== 'served') this.network.recordHindrance(process, `${process.name} append: ${treatment}`);
    const isRepetition = (this.streams.get(stream) ?? []).some(({ id }) => id === events[0]?.id);
    switch (treatment) {
      case 'served':
        return this.append(stream, events, expected);
      case 'notReady':
        throw new NodeNotServing('Server Is Not Ready');
      case 'notLeader':
        throw new NodeNotServing('the node is not the leader', 'another:2113');
      case 'commitTimeout':
        // The append may be committed all the same, now or later.
        if (this.random.chance(0.6))
          this.scheduler.after(this.random.between(0, MAX_LATE_COMMIT_MS), () => this.append(stream, events, expected));
        throw new CommitTimeout('the append was not committed in time');
      case 'withoutPosition': {
        const result = this.append(stream, events, expected);
        return result.kind === 'appended' ? { kind: 'position_unknown', revision: result.revision } : result;
      }
      case 'silentAboutRepetitions':
        if (isRepetition) throw new NoResponse();
        return this.append(stream, events, expected);
    }
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
    this.created.set(event.id, this.scheduler.time);
    // The event is copied, as on the wire, so that later changes of the sender's objects have no effect.
    return { ...(JSON.parse(JSON.stringify(event)) as NewEvent), stream, revision, position: BigInt(this.count) * POSITIONS_APART };
  }

  private read(stream: string, from: ReadFrom, { backwards, maxCount = Infinity }: ReadOptions): StoredEvent[] {
    const log = (this.streams.get(stream) ?? []).filter((event) => !this.isHidden(event));
    if (backwards) {
      const upTo = typeof from === 'bigint' ? log.filter(({ revision }) => revision <= from) : log;
      return upTo.slice(-maxCount).reverse();
    }
    const first = typeof from === 'bigint' ? from : 0n;
    return log.filter(({ revision }) => revision >= first).slice(0, maxCount);
  }

  private isHidden({ id, revision }: StoredEvent): boolean {
    if (!this.hidden) return false;
    if ('beforeRevision' in this.hidden) return revision < this.hidden.beforeRevision;
    return this.scheduler.time - (this.created.get(id) ?? 0) > this.hidden.olderThanMs;
  }
}

function appendedUpTo(last: StoredEvent | undefined): AppendResult {
  if (!last) throw new Error('An append without events.');
  return { kind: 'appended', revision: last.revision, position: last.position };
}
