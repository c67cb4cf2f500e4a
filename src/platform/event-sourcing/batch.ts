import { randomUUID } from 'node:crypto';
import { type Decider, type DomainEvent } from './decider.js';
import { chainHash, GENESIS_HASH } from './hash-chain.js';
import { type NewEvent, type StoredEvent } from './recorded-event.js';

/** Who or what caused a command; goes into the metadata of its events. */
export interface CommandContext {
  readonly correlationId?: string;
  readonly causationId?: string;
  readonly mode?: 'live' | 'sandbox';
  readonly traceparent?: string | undefined;
  /** Once it is aborted, the command is dropped if nothing has been decided on it yet. */
  readonly signal?: AbortSignal;
  /** The command may wait this long, in ms, for another append of its stream to ride with. */
  readonly deferMs?: number;
}

/** What became of a command: its events (none where nothing was left to do) and the state after them. */
export interface Committed<State, Event extends DomainEvent> {
  readonly events: readonly Event[];
  readonly state: State;
  /** Place in $all of the append that carried it; undefined where nothing was appended. */
  readonly position: bigint | undefined;
}

/** A command in its stream's queue. */
export interface Waiting<State, Command, Event extends DomainEvent> {
  readonly command: Command;
  readonly context: Required<Pick<CommandContext, 'correlationId' | 'causationId'>> & CommandContext;
  resolve(this: void, committed: Committed<State, Event>): void;
  reject(this: void, error: unknown): void;
}

/** A stream's state with the revision it was folded up to and, on a chained stream, the hash there. */
export interface Head<State> {
  readonly state: State;
  readonly revision: bigint;
  readonly hash: string | undefined;
}

/** What the writer has to know of a category of streams beside its decider. */
export interface StreamKind<State, Command, Event extends DomainEvent> {
  readonly category: string;
  readonly decider: Decider<State, Command, Event>;
  /** Every event's metadata carries the hash of all before it. */
  readonly chained: boolean;
  readonly maxCommandsPerAppend: number;
  readonly maxBytesPerAppend: number;
  /** How many states are kept between commands; 0: streams are short and simply read. */
  readonly statesHeld: number;
  /** Most commands are their stream's first: they are decided as if it were, and it is read only where that was wrong or nothing is appended. */
  readonly usuallyNew?: true;
  /** From which revision a long stream must be folded, told by its last event. */
  readonly replayFrom?: (last: StoredEvent) => bigint;
  /** Makes one command of several deferred ones. */
  readonly merge?: (commands: readonly Command[]) => Command;
}

export interface DecidedBatch<State, Command, Event extends DomainEvent> {
  readonly events: readonly NewEvent[];
  readonly head: Head<State>;
  readonly accepted: readonly { waiting: Waiting<State, Command, Event>; events: readonly Event[]; state: State }[];
  readonly refused: readonly { waiting: Waiting<State, Command, Event>; refusal: unknown }[];
  /** Would have made the append too large. */
  readonly undecided: readonly Waiting<State, Command, Event>[];
}

/** Decides commands one after another, each on the state that those before it leave. Appends nothing. */
export function decideBatch<State, Command, Event extends DomainEvent>(
  kind: StreamKind<State, Command, Event>,
  stream: string,
  start: Head<State>,
  batch: readonly Waiting<State, Command, Event>[],
  versionOf: (type: string) => number,
): DecidedBatch<State, Command, Event> {
  let head = start;
  let bytes = 0;
  const events: NewEvent[] = [];
  const accepted: DecidedBatch<State, Command, Event>['accepted'][number][] = [];
  const refused: DecidedBatch<State, Command, Event>['refused'][number][] = [];
  for (const [index, waiting] of batch.entries()) {
    let decided: readonly Event[];
    try {
      decided = kind.decider.decide(waiting.command, head.state);
    } catch (refusal) {
      refused.push({ waiting, refusal });
      continue;
    }
    // One that is alone goes whatever its size.
    if (batch.length > 1) bytes += decided.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
    if (bytes > kind.maxBytesPerAppend && events.length > 0) return { events, head, accepted, refused, undecided: batch.slice(index) };
    for (const event of decided) {
      const placed = place(kind, stream, head, event, waiting, versionOf(event.type));
      events.push(placed);
      head = {
        state: kind.decider.evolve(head.state, { ...event, revision: head.revision + 1n }),
        revision: head.revision + 1n,
        hash: placed.metadata.hash,
      };
    }
    accepted.push({ waiting, events: decided, state: head.state });
  }
  return { events, head, accepted, refused, undecided: [] };
}

function place<State, Command, Event extends DomainEvent>(
  kind: StreamKind<State, Command, Event>,
  stream: string,
  head: Head<State>,
  { type, data }: Event,
  { context }: Waiting<State, Command, Event>,
  schemaVersion: number,
): NewEvent {
  const previous = head.hash ?? GENESIS_HASH;
  return {
    id: randomUUID(),
    type,
    data: data as Record<string, unknown>,
    metadata: {
      $correlationId: context.correlationId,
      $causationId: context.causationId,
      schema_version: schemaVersion,
      ...(context.mode ? { mode: context.mode } : {}),
      ...(context.traceparent ? { traceparent: context.traceparent } : {}),
      ...(kind.chained ? { prev_hash: previous, hash: chainHash(previous, stream, head.revision + 1n, type, data) } : {}),
    },
  };
}

/** For streams that are short and seldom written. */
export const SHORT_STREAM = { chained: false, maxCommandsPerAppend: 16, maxBytesPerAppend: 512 * 1024, statesHeld: 0 } as const;
