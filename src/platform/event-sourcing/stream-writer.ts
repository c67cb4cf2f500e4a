import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock } from '../../kernel/clock.js';
import { SystemClock } from '../system-clock.js';
import { currentRequest } from '../tracing/request-context.js';
import { currentTraceparent, inSpan, type SpanOptions } from '../tracing/spans.js';
import { type Codec } from './codec.js';
import { type CommandContext, type Committed, decideBatch, type DecidedBatch, type Head, type StreamKind, type Waiting } from './batch.js';
import { type DomainEvent } from './decider.js';
import { type AppendResult, type EventStore, NO_EVENTS } from './event-store.js';
import { type NewEvent } from './recorded-event.js';

/** Too many other writers: nothing was appended, and the command may be sent again. */
export class StreamContended extends Error {
  override name = 'StreamContended';
}

export class CommandAbandoned extends Error {
  override name = 'CommandAbandoned';
}

interface Queue<State, Command, Event extends DomainEvent> {
  waiting: Waiting<State, Command, Event>[];
  deferred: Waiting<State, Command, Event>[];
  /** What is deferred goes now, with or without company. */
  flushing: boolean;
  /** Of what is deferred: calls it off. */
  cancelTimer: (() => void) | undefined;
  running: Promise<void> | undefined;
}

const ATTEMPTS = 12;
const JITTER_MS = 20;

/**
 * Runs a decider on its streams. Commands waiting on one stream are decided one after another and committed together in one
 * append at an exact revision; a refused one fails alone. After a wrong revision what is new is read and all are decided again.
 */
export class StreamWriter<State, Command, Event extends DomainEvent> {
  private readonly queues = new Map<string, Queue<State, Command, Event>>();
  private readonly heads: LRUCache<string, Head<State>> | undefined;

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly kind: StreamKind<State, Command, Event>,
    private readonly clock: Clock = new SystemClock(),
  ) {
    this.heads = kind.statesHeld ? new LRUCache({ max: kind.statesHeld }) : undefined;
  }

  /** @throws Rejection, StreamContended, CommandAbandoned, OutcomeUnknown (the service stopped first), or what the codec throws. */
  async execute(streamId: string, command: Command, context: CommandContext = {}): Promise<Committed<State, Event>> {
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
        this.flushLater(stream, queue);
      }
    });
  }

  /** Today's state of a stream, read from the log. */
  async load(streamId: string): Promise<Head<State>> {
    return await this.read(`${this.kind.category}-${streamId}`);
  }

  /** Commits what was deferred and waits for everything under way. */
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
      queue = { waiting: [], deferred: [], flushing: false, cancelTimer: undefined, running: undefined };
      this.queues.set(stream, queue);
    }
    return queue;
  }

  private flush(stream: string, queue: Queue<State, Command, Event>): void {
    queue.flushing = true;
    this.run(stream, queue);
  }

  private flushLater(stream: string, queue: Queue<State, Command, Event>): void {
    const [first] = queue.deferred;
    if (queue.cancelTimer || !first) return;
    queue.cancelTimer = this.clock.after(first.context.deferMs ?? 0, () => {
      this.flush(stream, queue);
    });
  }

  private run(stream: string, queue: Queue<State, Command, Event>): void {
    queue.running ??= this.work(stream, queue).finally(() => {
      queue.running = undefined;
      if (queue.waiting.length > 0 || queue.flushing) this.run(stream, queue);
      else if (queue.deferred.length > 0) this.flushLater(stream, queue);
      else this.queues.delete(stream);
    });
  }

  private async work(stream: string, queue: Queue<State, Command, Event>): Promise<void> {
    while (queue.waiting.length > 0 || queue.flushing) {
      const batch = this.take(queue);
      try {
        const undecided = batch.length === 0 ? [] : await this.commit(stream, batch);
        queue.waiting.unshift(...undecided);
      } catch (error) {
        this.heads?.delete(stream);
        for (const { reject } of batch) reject(error);
      }
    }
  }

  private take(queue: Queue<State, Command, Event>): Waiting<State, Command, Event>[] {
    queue.cancelTimer?.();
    queue.cancelTimer = undefined;
    queue.flushing = false;
    const riding = queue.deferred.splice(0);
    const merged = this.kind.merge ? mergeDeferred(riding, this.kind.merge) : riding;
    const live = queue.waiting.splice(0, this.kind.maxCommandsPerAppend).filter(({ context, reject }) => {
      if (context.signal?.aborted) reject(new CommandAbandoned('The caller had given up.'));
      return !context.signal?.aborted;
    });
    return [...merged, ...live];
  }

  /** Answers those that did not fit into this append. */
  private async commit(
    stream: string,
    batch: readonly Waiting<State, Command, Event>[],
  ): Promise<readonly Waiting<State, Command, Event>[]> {
    const held = this.heads?.get(stream);
    const guess = held ?? (this.kind.usuallyNew ? this.unwritten() : undefined);
    let head = guess ?? (await this.read(stream));
    let verified = guess === undefined;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const decided = decideBatch(this.kind, stream, head, batch, (type) => this.codec.version(type));
      if (decided.events.length === 0) {
        // Nothing is appended that could prove the state current, so a refusal is checked against the log.
        const current = verified ? head : await this.read(stream, head);
        if (current.revision === head.revision) return this.settle(stream, decided, undefined);
        [head, verified] = [current, true];
        continue;
      }
      const encrypted = await this.codec.encode(stream, decided.events);
      const result = await this.append(stream, encrypted, head.revision);
      if (result.kind === 'appended') return this.settle(stream, decided, result.position);
      // That it was not new tells of no other writer at work.
      if (held || verified) await this.clock.delay(Math.random() * JITTER_MS * Math.min(attempt, 5));
      head = await this.read(stream, head);
      verified = true;
    }
    throw new StreamContended(`${stream} was written by others ${ATTEMPTS} times in a row.`);
  }

  /** Done for all whose commands it carries: part of the first one's trace, linked with the others. */
  private async append(stream: string, events: readonly NewEvent[], expected: bigint): Promise<AppendResult> {
    const traced = (): SpanOptions => {
      const [first, ...others] = events.map(({ metadata }) => metadata.traceparent);
      return {
        attributes: { 'rupa.stream.category': this.kind.category, 'rupa.append.events': events.length },
        parent: first,
        links: others.filter((each) => each !== first),
      };
    };
    return await inSpan(`append ${this.kind.category}`, traced, () => this.eventStore.append(stream, events, expected));
  }

  private settle(
    stream: string,
    decided: DecidedBatch<State, Command, Event>,
    position: bigint | undefined,
  ): readonly Waiting<State, Command, Event>[] {
    this.heads?.set(stream, decided.head);
    for (const { waiting, refusal } of decided.refused) waiting.reject(refusal);
    for (const { waiting, events, state } of decided.accepted) {
      waiting.resolve({ events, state, position: events.length > 0 ? position : undefined });
    }
    return decided.undecided;
  }

  private unwritten(): Head<State> {
    return { state: this.kind.decider.initialState, revision: NO_EVENTS, hash: undefined };
  }

  private async read(stream: string, known?: Head<State>): Promise<Head<State>> {
    let head = known ?? this.unwritten();
    let from = head.revision + 1n;
    if (!known && this.kind.replayFrom) {
      const last = await this.eventStore.lastEvent(stream);
      if (!last) return head;
      from = this.kind.replayFrom(last);
    }
    for await (const page of this.eventStore.streamPages(stream, from)) {
      for (const event of await this.codec.decode(page)) {
        const state = this.kind.decider.evolve(head.state, event as unknown as Event & { revision: bigint });
        head = { state, revision: event.revision, hash: event.metadata.hash };
      }
    }
    return head;
  }
}

function mergeDeferred<State, Command, Event extends DomainEvent>(
  riding: readonly Waiting<State, Command, Event>[],
  merge: (commands: readonly Command[]) => Command,
): Waiting<State, Command, Event>[] {
  const [first] = riding;
  if (!first || riding.length === 1) return [...riding];
  return [
    {
      command: merge(riding.map(({ command }) => command)),
      context: first.context,
      resolve: (committed) => {
        for (const { resolve } of riding) resolve(committed);
      },
      reject: (error) => {
        for (const { reject } of riding) reject(error);
      },
    },
  ];
}
