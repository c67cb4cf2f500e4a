import { randomUUID } from 'node:crypto';
import { type Clock } from '../../../kernel/clock.js';
import { SystemClock } from '../../system-clock.js';
import { currentRequest } from '../../tracing/request-context.js';
import { currentTraceparent } from '../../tracing/spans.js';
import { type Codec } from '../coding/codec.js';
import { type Dated, type DomainEvent } from '../decider.js';
import { type EventStore, type HistoryMissing } from '../event-store.js';
import { type StreamKind, continuationOf } from '../stream-kind.js';
import {
  type CommandContext,
  type CommandResult,
  type Head,
  type QueuedCommand,
  isWanted,
  mergeDeferred,
  type Queue,
  StreamContended,
} from './batch.js';
import { Commit, type CommitParts, type Committed } from './commit.js';
import { StreamStates } from './stream-states.js';

const UNREAD_ATTEMPTS = 5;

/**
 * Executes commands on streams. Commands that wait for the same stream are decided one after another and committed in one append at an
 * exact revision; a rejected command does not affect the others. After a wrong revision, the writer reads the new events and decides again,
 * together with the commands that have arrived meanwhile.
 */
export class StreamWriter<State, Command extends Dated, Event extends DomainEvent> {
  private readonly queues = new Map<string, Queue<State, Command, Event>>();
  private readonly parts: CommitParts<State, Command, Event>;

  constructor(eventStore: EventStore, codec: Codec, kind: StreamKind<State, Command, Event>, clock: Clock = new SystemClock()) {
    this.parts = { eventStore, codec, kind, clock, states: new StreamStates(eventStore, codec, kind, clock) };
  }

  /**
   * Executes a command.
   * @throws Rejection, StreamContended, CommandAbandoned, OutcomeUnknown if the service stops first, EventSetAside if the stream holds an
   *   event that cannot be used, and errors of the codec
   */
  async execute(streamId: string, command: Command, context: CommandContext = {}): Promise<CommandResult<State, Event>> {
    const { correlationId = randomUUID(), host } = { ...currentRequest(), ...context };
    const stream = this.streamOf(streamId);
    const queue = this.queue(stream);
    return await new Promise((resolve, reject) => {
      const waiting = {
        command,
        context: { ...context, correlationId, causationId: context.causationId ?? correlationId, host, traceparent: currentTraceparent() },
        resolve,
        reject,
      };
      if (context.deferMs === undefined) {
        queue.waiting.push(waiting);
        this.run(stream, queue);
      } else {
        queue.deferred.push(waiting);
        this.flushLater(stream, queue, this.parts.clock.elapsedMs() + context.deferMs);
      }
    });
  }

  /** Returns the current state of a stream, read from the log. */
  async load(streamId: string): Promise<Head<State>> {
    return await this.parts.states.read(this.streamOf(streamId));
  }

  /** Returns the state of a short stream as it was before a position in $all, read from the log. */
  async loadBefore(streamId: string, position: bigint): Promise<State> {
    return await this.parts.states.before(this.streamOf(streamId), position);
  }

  /**
   * Appends an event to a stream whose history is missing, without reading it: only a fact that holds whatever that history says. If the
   * stream was ended for good, the event goes to the stream that continues it.
   * @param missing what a command on that stream has thrown
   */
  async appendUnread(streamId: string, event: Event, missing: HistoryMissing): Promise<bigint> {
    const { codec, eventStore } = this.parts;
    const named = this.streamOf(streamId);
    const stream = missing.last === undefined ? continuationOf(named) : named;
    const { correlationId = randomUUID(), host } = currentRequest() ?? {};
    const metadata = { $correlationId: correlationId, schema_version: codec.version(event.type), ...(host === undefined ? {} : { host }) };
    const data = event.data as Record<string, unknown>;
    const encrypted = await codec.encode(stream, [{ id: randomUUID(), type: event.type, data, metadata }]);
    for (let attempt = 1; attempt <= UNREAD_ATTEMPTS; attempt += 1) {
      const result = await eventStore.appendUnread(stream, encrypted, await eventStore.lastRevision(stream));
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

  private streamOf(streamId: string): string {
    return `${this.parts.kind.category}-${streamId}`;
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
    queue.cancelTimer = this.parts.clock.after(Math.max(0, dueAt - this.parts.clock.elapsedMs()), () => {
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
      if (batch.length > 0) await this.commit(stream, queue, batch);
    }
  }

  private take(queue: Queue<State, Command, Event>): QueuedCommand<State, Command, Event>[] {
    return [...this.takeDeferred(queue), ...queue.waiting.splice(0, this.parts.kind.maxCommandsPerAppend).filter(isWanted)];
  }

  /** Returns the deferred commands, unless they can wait for more of their kind. */
  private takeDeferred(queue: Queue<State, Command, Event>): readonly QueuedCommand<State, Command, Event>[] {
    const { merge, maxDeferred = 0 } = this.parts.kind;
    if (!queue.flushing && queue.deferred.length < maxDeferred && this.parts.clock.elapsedMs() < queue.dueAt) return [];
    queue.cancelTimer?.();
    queue.cancelTimer = undefined;
    queue.dueAt = Infinity;
    queue.flushing = false;
    const deferred = queue.deferred.splice(0);
    return merge ? mergeDeferred(deferred, merge) : deferred;
  }

  private async commit(
    stream: string,
    queue: Queue<State, Command, Event>,
    batch: readonly QueuedCommand<State, Command, Event>[],
  ): Promise<void> {
    const { kind, states } = this.parts;
    let commit: Commit<State, Command, Event> | undefined;
    try {
      const isNew = kind.usuallyNew ?? batch.every(({ context }) => context.isFirst === true);
      const at = await states.current(stream, isNew);
      commit = new Commit(this.parts, stream, at, batch, (max) => queue.waiting.splice(0, max).filter(isWanted));
      const committed = await commit.run();
      if (committed) queue.waiting.unshift(...this.complete(stream, committed));
    } catch (error) {
      states.forget(stream);
      for (const { reject } of commit?.commands ?? batch) reject(error);
    }
  }

  /** Returns the commands that did not fit into the append. */
  private complete(
    stream: string,
    { decided, position }: Committed<State, Command, Event>,
  ): readonly QueuedCommand<State, Command, Event>[] {
    this.parts.states.keep(stream, decided.head);
    for (const { waiting, error } of decided.rejected) waiting.reject(error);
    for (const { waiting, events, state } of decided.accepted) {
      waiting.resolve({ events, state, position: events.length > 0 ? position : undefined });
    }
    return decided.undecided;
  }
}

/** The stream writer of a kind of streams. */
export type WriterOf<Kind> = Kind extends StreamKind<infer State, infer Command, infer Event> ? StreamWriter<State, Command, Event> : never;

/** The process' stream writers, one per kind of streams: commands for a stream are decided together only if they share a writer. */
export class Streams {
  private readonly writers = new Map<unknown, unknown>();

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly clock: Clock,
  ) {}

  /** Returns the writer of a kind. The kind is a constant of its context's domain, so the same one yields the same writer. */
  of<State, Command extends Dated, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
  ): StreamWriter<State, Command, Event> {
    const known = this.writers.get(kind) as StreamWriter<State, Command, Event> | undefined;
    if (known) return known;
    const writer = new StreamWriter(this.eventStore, this.codec, kind, this.clock);
    this.writers.set(kind, writer);
    return writer;
  }
}
