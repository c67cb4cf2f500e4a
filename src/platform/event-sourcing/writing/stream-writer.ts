import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock } from '../../../kernel/clock.js';
import { SystemClock } from '../../system-clock.js';
import { DataKeyDestroyed } from '../../key-store/data-keys.js';
import { currentRequest } from '../../tracing/request-context.js';
import { currentTraceparent, inSpan, type SpanOptions } from '../../tracing/spans.js';
import { type Codec } from '../coding/codec.js';
import { type CommandContext, type CommandResult, decideBatch, type DecidedBatch, type Head, type QueuedCommand } from './batch.js';
import { GenuineEvents } from '../../unusable-events/genuine-events.js';
import { isWanted, isWorthRetrying, mergeDeferred, pauseAfterLostRace, type Queue, StreamContended } from './queued-commands.js';
import { type AtRevision, type Dated, type DomainEvent } from '../decider.js';
import { type AppendResult, ClockWrong, type EventStore, type HistoryMissing, NO_EVENTS, OutcomeUnknown } from '../event-store.js';
import { type NewEvent, type RecordedEvent, type StoredEvent } from '../recorded-event.js';
import { type StillUnknown } from './known-append.js';
import { continuationOf } from '../stream-category.js';
import { type StreamKind } from '../stream-kind.js';

const MAX_MISSED = 256;
/** Lost races without a new event after which the writer looks whether events are hidden. A node that lags behind its leader shows them sooner. */
const HIDDEN_AFTER = 3;
const UNREAD_ATTEMPTS = 5;
/** A cached state is read again before each decision for so long after another writer's events were found. */
const SHARED_MS = 10_000;
/** Milliseconds for which an append of unknown outcome is sent with its dates (evidence, "Clocks"). */
const SENT_FOR_MS = 30_000;
/** Milliseconds after which a writer looks again at a clock that is wrong, or for an event that its node does not show yet. */
const LOOK_AGAIN_MS = 500;

/**
 * Executes commands on streams. Commands that wait for the same stream are decided one after another and committed in one append at an
 * exact revision; a rejected command does not affect the others. After a wrong revision, the writer reads the new events and decides again,
 * together with the commands that have arrived meanwhile.
 */
export class StreamWriter<State, Command extends Dated, Event extends DomainEvent> {
  private readonly queues = new Map<string, Queue<State, Command, Event>>();
  private readonly heads: LRUCache<string, Head<State>> | undefined;
  /** When another writer's events were last found in a stream whose state is cached, on the clock's stopwatch. */
  private readonly shared: LRUCache<string, number> | undefined;
  private readonly genuine: GenuineEvents;

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly kind: StreamKind<State, Command, Event>,
    private readonly clock: Clock = new SystemClock(),
  ) {
    this.genuine = new GenuineEvents(eventStore, codec);
    this.heads = kind.cachedStates ? new LRUCache({ max: kind.cachedStates }) : undefined;
    this.shared = kind.cachedStates ? new LRUCache({ max: kind.cachedStates }) : undefined;
  }

  /**
   * Executes a command.
   * @throws Rejection, StreamContended, CommandAbandoned, OutcomeUnknown if the service stops first, EventSetAside if the stream holds an
   *   event that cannot be used, and errors of the codec
   */
  async execute(streamId: string, command: Command, context: CommandContext = {}): Promise<CommandResult<State, Event>> {
    const correlationId = context.correlationId ?? currentRequest()?.correlationId ?? randomUUID();
    const stream = `${this.kind.category}-${streamId}`;
    const queue = this.queue(stream);
    return await new Promise((resolve, reject) => {
      const waiting = {
        command,
        context: { ...context, correlationId, causationId: context.causationId ?? correlationId, traceparent: currentTraceparent() },
        resolve,
        reject,
      };
      if (context.deferMs === undefined) {
        queue.waiting.push(waiting);
        this.run(stream, queue);
      } else {
        queue.deferred.push(waiting);
        this.flushLater(stream, queue, this.clock.elapsedMs() + context.deferMs);
      }
    });
  }

  /** Returns the current state of a stream, read from the log. */
  async load(streamId: string): Promise<Head<State>> {
    return await this.read(`${this.kind.category}-${streamId}`);
  }

  /**
   * Appends an event to a stream whose history is missing, without reading it: only a fact that holds whatever that history says. If the
   * stream was ended for good, the event goes to the stream that continues it.
   * @param missing what a command on that stream has thrown
   */
  async appendUnread(streamId: string, event: Event, missing: HistoryMissing): Promise<bigint> {
    const named = `${this.kind.category}-${streamId}`;
    const stream = missing.last === undefined ? continuationOf(named) : named;
    const correlationId = currentRequest()?.correlationId ?? randomUUID();
    const metadata = { $correlationId: correlationId, schema_version: this.codec.version(event.type) };
    const data = event.data as Record<string, unknown>;
    const encrypted = await this.codec.encode(stream, [{ id: randomUUID(), type: event.type, data, metadata }]);
    for (let attempt = 1; attempt <= UNREAD_ATTEMPTS; attempt += 1) {
      const result = await this.eventStore.appendUnread(stream, encrypted, await this.eventStore.lastRevision(stream));
      if (result.kind === 'appended') return result.position;
    }
    throw new StreamContended(`Other writers changed ${stream} before each attempt. Nothing was appended; send the command again.`);
  }

  /** Commits all deferred commands and waits until every queue is empty. */
  async drain(): Promise<void> {
    await Promise.allSettled(
      [...this.queues].map(async ([stream, queue]) => {
        while (queue.waiting.length + queue.deferred.length > 0 || queue.running) {
          this.flush(stream, queue);
          await queue.running;
        }
      }),
    );
  }

  private queue(stream: string): Queue<State, Command, Event> {
    let queue = this.queues.get(stream);
    if (!queue) {
      queue = { waiting: [], deferred: [], flushing: false, dueAt: Infinity, cancelTimer: undefined, running: undefined };
      this.queues.set(stream, queue);
    }
    return queue;
  }

  private flush(stream: string, queue: Queue<State, Command, Event>): void {
    queue.flushing = true;
    this.run(stream, queue);
  }

  private flushLater(stream: string, queue: Queue<State, Command, Event>, dueAt: number): void {
    if (dueAt >= queue.dueAt) return;
    queue.cancelTimer?.();
    queue.dueAt = dueAt;
    queue.cancelTimer = this.clock.after(Math.max(0, dueAt - this.clock.elapsedMs()), () => {
      this.flush(stream, queue);
    });
  }

  private run(stream: string, queue: Queue<State, Command, Event>): void {
    queue.running ??= this.work(stream, queue).finally(() => {
      queue.running = undefined;
      if (queue.waiting.length > 0 || queue.flushing) this.run(stream, queue);
      else if (queue.deferred.length === 0) this.queues.delete(stream);
    });
  }

  private async work(stream: string, queue: Queue<State, Command, Event>): Promise<void> {
    while (queue.waiting.length > 0 || queue.flushing) {
      const batch = this.take(queue);
      try {
        const undecided = batch.length === 0 ? [] : await this.commit(stream, queue, batch);
        queue.waiting.unshift(...undecided);
      } catch (error) {
        this.heads?.delete(stream);
        for (const { reject } of batch) reject(error);
      }
    }
  }

  private take(queue: Queue<State, Command, Event>): QueuedCommand<State, Command, Event>[] {
    return [...this.takeDeferred(queue), ...queue.waiting.splice(0, this.kind.maxCommandsPerAppend).filter(isWanted)];
  }

  /** Returns the deferred commands, unless they can wait for more of their kind. */
  private takeDeferred(queue: Queue<State, Command, Event>): readonly QueuedCommand<State, Command, Event>[] {
    const { merge, maxDeferred = 0 } = this.kind;
    if (!queue.flushing && queue.deferred.length < maxDeferred && this.clock.elapsedMs() < queue.dueAt) return [];
    queue.cancelTimer?.();
    queue.cancelTimer = undefined;
    queue.dueAt = Infinity;
    queue.flushing = false;
    const deferred = queue.deferred.splice(0);
    return merge ? mergeDeferred(deferred, merge) : deferred;
  }

  /** Drops the commands whose callers have given up since the last attempt, and adds those that have arrived. */
  private renew(batch: QueuedCommand<State, Command, Event>[], queue: Queue<State, Command, Event>): void {
    const wanted = batch.splice(0).filter(isWanted);
    batch.push(...wanted, ...queue.waiting.splice(0, Math.max(0, this.kind.maxCommandsPerAppend - wanted.length)).filter(isWanted));
  }

  /** Returns the commands that did not fit into this append. The batch grows after each lost race. */
  private async commit(
    stream: string,
    queue: Queue<State, Command, Event>,
    batch: QueuedCommand<State, Command, Event>[],
  ): Promise<readonly QueuedCommand<State, Command, Event>[]> {
    const startedAt = this.clock.elapsedMs();
    const cached = this.heads?.get(stream);
    const isNew = this.kind.usuallyNew ?? batch.every(({ context }) => context.isFirst === true);
    const assumed = cached ?? (isNew && (await this.neverWas(stream)) ? this.unwritten() : undefined);
    const usable = cached !== undefined && this.isShared(stream) ? undefined : assumed;
    let head = usable ?? (await this.readAgain(stream, cached));
    let verified = usable === undefined;
    /** Appends at this head that were sent for as long as they may be, and may still be stored. */
    const sent: DecidedBatch<State, Command, Event>[] = [];
    let isDatedAgain = false;
    for (let lost = 0; isWorthRetrying(lost, this.clock.elapsedMs() - startedAt);) {
      const decided = decideBatch(this.kind, stream, head, batch, (type) => this.codec.version(type));
      if (decided.events.length === 0) {
        if (sent.length > 0) throw mayBeStored(stream);
        // Without an append nothing proves that the state was current, so the log is read before the commands are rejected.
        const current = verified ? head : await this.read(stream, head);
        if (current.revision === head.revision) return this.complete(stream, decided, undefined);
        [head, verified] = [current, true];
        continue;
      }
      const encrypted = await this.codec.encode(stream, decided.events).catch(returnIfDestroyed);
      if (encrypted instanceof DataKeyDestroyed) {
        if (sent.length > 0) throw mayBeStored(stream);
        // The farmer was erased after this state, and the log says so. If it does not, the commands fail.
        const current = await this.read(stream, head);
        if (current.revision === head.revision) throw encrypted;
        [head, verified] = [current, true];
        continue;
      }
      const appendingAt = this.clock.elapsedMs();
      const result = await this.append(stream, encrypted, head.revision, { isAnother: sent.length > 0, isDatedAgain });
      if (result.kind === 'appended') return this.complete(stream, decided, result.position);
      if (result.kind !== 'wrong_revision') {
        if (result.kind === 'unknown') sent.push(decided);
        this.dateAgain(batch);
        isDatedAgain = true;
        continue;
      }
      const stored = sent.length > 0 ? await this.storedOf(stream, head.revision, sent) : undefined;
      if (stored) return this.complete(stream, stored.decided, stored.position);
      sent.length = 0;
      // Another writer is active only if it was faster than this one since it read the stream. A cached or assumed state may be older.
      if (verified) {
        lost += 1;
        await this.clock.delay(pauseAfterLostRace(lost, this.clock.elapsedMs() - appendingAt, Math.random()));
      }
      this.renew(batch, queue);
      if (batch.length === 0) return [];
      const current = await this.readAgain(stream, head);
      // Another writer's events, which refused the append, are still not there: they may be hidden.
      if (current.revision === head.revision && lost >= HIDDEN_AFTER) await this.eventStore.examineHistory(stream);
      [head, verified] = [current, true];
    }
    throw new StreamContended(
      `Other writers changed ${stream} before each attempt, for too long. Nothing was appended; send the command again.`,
    );
  }

  /** Returns whether another writer has written the stream so lately that the cached state is probably not the current one. */
  private isShared(stream: string): boolean {
    return this.clock.elapsedMs() - (this.shared?.get(stream) ?? -Infinity) < SHARED_MS;
  }

  /** Reads a stream's state, and notes whether another writer has changed it. */
  private async readAgain(stream: string, known: Head<State> | undefined): Promise<Head<State>> {
    const current = await this.read(stream, known);
    if (known !== undefined && current.revision > known.revision) this.shared?.set(stream, this.clock.elapsedMs());
    return current;
  }

  /** Gives the commands a later date, because they are decided again. */
  private dateAgain(batch: QueuedCommand<State, Command, Event>[]): void {
    const at = this.clock.iso();
    const dated = batch.map((waiting) => ({ ...waiting, command: { ...waiting.command, at } }));
    batch.splice(0, batch.length, ...dated);
  }

  /**
   * Returns which of several appends at one place was stored, if it is one of them: the event there tells it by its id. There is one, because
   * the place is taken, but the node that responds may not show it yet.
   */
  private async storedOf(
    stream: string,
    revision: bigint,
    sent: readonly DecidedBatch<State, Command, Event>[],
  ): Promise<{ readonly decided: DecidedBatch<State, Command, Event>; readonly position: bigint | undefined } | undefined> {
    let first: StoredEvent | undefined;
    while (!(first = await this.eventStore.eventIn(stream, revision + 1n))) await this.clock.delay(LOOK_AGAIN_MS);
    const { id } = first;
    const decided = sent.find(({ events: [event] }) => event?.id === id);
    return decided && { decided, position: (await this.eventStore.eventIn(stream, decided.head.revision))?.position };
  }

  /**
   * Appends in a span that belongs to the trace of the first command and links to those of the others.
   * Returns `unsent` if only the dates are wrong, because the process was paused or its clock was set after the commands; and while the clock
   * is wrong, but an earlier append at this place may still be stored (`isAnother`).
   */
  private async append(
    stream: string,
    events: readonly NewEvent[],
    expected: bigint,
    { isAnother, isDatedAgain }: { readonly isAnother: boolean; readonly isDatedAgain: boolean },
  ): Promise<AppendResult | StillUnknown | { readonly kind: 'unsent' }> {
    const traced = (): SpanOptions => {
      const [first, ...others] = events.map(({ metadata }) => metadata.traceparent);
      return {
        attributes: { 'rupa.stream.category': this.kind.category, 'rupa.append.events': events.length },
        parent: first,
        links: others.filter((each) => each !== first),
      };
    };
    try {
      return await inSpan(`append ${this.kind.category}`, traced, () =>
        this.eventStore.tryAppend(stream, events, expected, { forMs: SENT_FOR_MS, isAnother }),
      );
    } catch (error) {
      if (!(error instanceof ClockWrong)) throw error;
      if (error.fault.kind === 'date' && !isDatedAgain) return { kind: 'unsent' };
      if (!isAnother) throw error;
      await this.clock.delay(LOOK_AGAIN_MS);
      return { kind: 'unsent' };
    }
  }

  private complete(
    stream: string,
    decided: DecidedBatch<State, Command, Event>,
    position: bigint | undefined,
  ): readonly QueuedCommand<State, Command, Event>[] {
    this.heads?.set(stream, decided.head);
    for (const { waiting, error } of decided.rejected) waiting.reject(error);
    for (const { waiting, events, state } of decided.accepted) {
      waiting.resolve({ events, state, position: events.length > 0 ? position : undefined });
    }
    return decided.undecided;
  }

  /** A deleted stream accepts an append as one that does not exist, so the store is asked which revision it has. */
  private async neverWas(stream: string): Promise<boolean> {
    return this.kind.namedAtRandom === true || (await this.eventStore.lastRevision(stream)) === NO_EVENTS;
  }

  private unwritten(): Head<State> {
    return { state: this.kind.decider.initialState, revision: NO_EVENTS, hash: undefined };
  }

  /** Returns a stream's state: the known one with the events after it or, if these are many, the state that the last events restore. */
  private async read(stream: string, known?: Head<State>): Promise<Head<State>> {
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
}

function mayBeStored(stream: string): OutcomeUnknown {
  return new OutcomeUnknown(`Commands on ${stream} can no longer be sent, but may still be stored.`);
}

function returnIfDestroyed(error: unknown): DataKeyDestroyed {
  if (error instanceof DataKeyDestroyed) return error;
  throw error;
}
