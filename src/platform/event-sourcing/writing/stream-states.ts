import { LRUCache } from 'lru-cache';
import { type Clock } from '../../../kernel/clock.js';
import { type Codec } from '../coding/codec.js';
import { type AtRevision, type Dated, type DomainEvent } from '../decider.js';
import { type EventStore, NO_EVENTS } from '../event-store.js';
import { type RecordedEvent, type StoredEvent } from '../recorded-event.js';
import { type StreamKind } from '../stream-kind.js';
import { GenuineEvents } from '../../unusable-events/genuine-events.js';
import { type Head } from './batch.js';

const MAX_MISSED = 256;
/** A cached state is read again before each decision for so long after another writer's events were found. */
const SHARED_MS = 10_000;

/** The state on which commands are decided. */
export interface AssumedHead<State> {
  readonly head: Head<State>;
  /** False if it was not read just now: it may be older than the log. */
  readonly verified: boolean;
}

/** Reads the states of streams of one kind from the log, and keeps those of the streams that were written last. */
export class StreamStates<State, Command extends Dated, Event extends DomainEvent> {
  private readonly heads: LRUCache<string, Head<State>> | undefined;
  /** When another writer's events were last found in a stream whose state is cached, on the clock's stopwatch. */
  private readonly shared: LRUCache<string, number> | undefined;
  private readonly genuine: GenuineEvents;

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly kind: StreamKind<State, Command, Event>,
    private readonly clock: Clock,
  ) {
    this.genuine = new GenuineEvents(eventStore, codec);
    this.heads = kind.cachedStates ? new LRUCache({ max: kind.cachedStates }) : undefined;
    this.shared = kind.cachedStates ? new LRUCache({ max: kind.cachedStates }) : undefined;
  }

  keep(stream: string, head: Head<State>): void {
    this.heads?.set(stream, head);
  }

  forget(stream: string): void {
    this.heads?.delete(stream);
  }

  /** Returns the state to decide on: the cached one, that of a stream that never was, or what the log says. */
  async current(stream: string, isNew: boolean): Promise<AssumedHead<State>> {
    const cached = this.heads?.get(stream);
    const assumed = cached ?? (isNew && (await this.neverWas(stream)) ? this.unwritten() : undefined);
    const usable = cached !== undefined && this.isShared(stream) ? undefined : assumed;
    return usable ? { head: usable, verified: false } : { head: await this.readAgain(stream, cached), verified: true };
  }

  /** Reads a stream's state, and notes whether another writer has changed it. */
  async readAgain(stream: string, known: Head<State> | undefined): Promise<Head<State>> {
    const current = await this.read(stream, known);
    if (known !== undefined && current.revision > known.revision) this.shared?.set(stream, this.clock.elapsedMs());
    return current;
  }

  /** Returns a stream's state: the known one with the events after it or, if these are many, the state that the last events restore. */
  async read(stream: string, known?: Head<State>): Promise<Head<State>> {
    const { replayFrom, maxMissed = MAX_MISSED } = this.kind;
    let head = known ?? this.unwritten();
    let from = head.revision + 1n;
    if (replayFrom) {
      const missed = known ? await this.eventStore.readStream(stream, { from, maxCount: maxMissed }) : undefined;
      if (missed && missed.length < maxMissed) return await this.fold(head, missed);
      const last = this.kind.independent ? await this.eventStore.lastEvent(stream) : await this.genuine.last(stream);
      // The last events of a stream restore its state, and do not show that its first ones are there.
      if (!known && last) await this.eventStore.readStream(stream, { maxCount: 1 });
      const restoresFrom = last ? replayFrom(last) : from;
      if (restoresFrom > from) [head, from] = [this.unwritten(), restoresFrom];
    }
    for await (const page of this.eventStore.streamPages(stream, from)) head = await this.fold(head, page);
    return head;
  }

  /** Returns the state of a stream as it was before a position in $all. The whole stream is read, so it should be a short one. */
  async before(stream: string, position: bigint): Promise<State> {
    let head = this.unwritten();
    for await (const page of this.eventStore.streamPages(stream)) {
      head = await this.fold(
        head,
        page.filter((event) => event.position < position),
      );
    }
    return head.state;
  }

  /** Skipped events take a revision and leave the state as it is: the next event follows the last genuine one. */
  private async fold(head: Head<State>, page: readonly StoredEvent[]): Promise<Head<State>> {
    const last = page.at(-1);
    if (!last) return head;
    const decoded = this.kind.independent ? (await this.codec.decodeUsable(page)).events : await this.genuine.decode(page);
    const events = decoded as unknown as (AtRevision<Event> & RecordedEvent<Event>)[];
    const folded = events.reduce((state, event) => this.kind.decider.evolve(state, event), head.state);
    const { revision } = last;
    return { state: this.kind.atRevision?.(folded, revision) ?? folded, revision, hash: events.at(-1)?.metadata.hash ?? head.hash };
  }

  /** Returns whether another writer has written the stream so lately that the cached state is probably not the current one. */
  private isShared(stream: string): boolean {
    return this.clock.elapsedMs() - (this.shared?.get(stream) ?? -Infinity) < SHARED_MS;
  }

  /** A deleted stream accepts an append as one that does not exist, so the store is asked which revision it has. */
  private async neverWas(stream: string): Promise<boolean> {
    return this.kind.namedAtRandom === true || (await this.eventStore.lastRevision(stream)) === NO_EVENTS;
  }

  private unwritten(): Head<State> {
    return { state: this.kind.decider.initialState, revision: NO_EVENTS, hash: undefined };
  }
}
