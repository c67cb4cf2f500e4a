import { randomUUID } from 'node:crypto';
import { type Dated, type DomainEvent } from '../decider.js';
import { chainHash, GENESIS_HASH, type StreamKind } from '../stream-kind.js';
import { type NewEvent } from '../recorded-event.js';

/** The origin of a command, which goes into the metadata of its events, and how the command may be queued. */
export interface CommandContext {
  readonly correlationId?: string;
  /** Id of the command's cause; by default the request, whose id is the correlation id. */
  readonly causationId?: string;
  readonly mode?: 'live' | 'sandbox';
  readonly traceparent?: string | undefined;
  /** Name of the machine on which the command was typed. */
  readonly host?: string | undefined;
  /** Set if the stream most likely does not exist yet: it is read only if the store says that it has events. */
  readonly isFirst?: boolean;
  /** Number of the instance that has to finish what the command began (src/platform/database/instances/instance-presence.ts). */
  readonly instance?: number;
  /** Aborting it drops the command, unless it has been decided already. */
  readonly signal?: AbortSignal;
  /** Milliseconds that the command may wait for other commands of its stream, to share their append. */
  readonly deferMs?: number;
}

/** The result of a command: its events (none if there was nothing to do) and the state after them. */
export interface CommandResult<State, Event extends DomainEvent> {
  readonly events: readonly Event[];
  readonly state: State;
  /** Position in $all of the append; undefined if nothing was appended. */
  readonly position: bigint | undefined;
}

/** A command in its stream's queue. */
export interface QueuedCommand<State, Command, Event extends DomainEvent> {
  readonly command: Command;
  readonly context: Required<Pick<CommandContext, 'correlationId' | 'causationId'>> & CommandContext;
  resolve(this: void, committed: CommandResult<State, Event>): void;
  reject(this: void, error: unknown): void;
}

/** A stream's state with the revision up to which it was folded and, for a chained stream, the hash at that revision. */
export interface Head<State> {
  readonly state: State;
  readonly revision: bigint;
  readonly hash: string | undefined;
}

export interface DecidedBatch<State, Command, Event extends DomainEvent> {
  readonly events: readonly NewEvent[];
  readonly head: Head<State>;
  readonly accepted: readonly { waiting: QueuedCommand<State, Command, Event>; events: readonly Event[]; state: State }[];
  readonly rejected: readonly { waiting: QueuedCommand<State, Command, Event>; error: unknown }[];
  /** Commands that would have made the append too large. */
  readonly undecided: readonly QueuedCommand<State, Command, Event>[];
}

/** Decides the commands one after another, each on the state after the previous ones. Appends nothing. */
export function decideBatch<State, Command extends Dated, Event extends DomainEvent>(
  kind: StreamKind<State, Command, Event>,
  stream: string,
  start: Head<State>,
  batch: readonly QueuedCommand<State, Command, Event>[],
  versionOf: (type: string) => number,
): DecidedBatch<State, Command, Event> {
  let head = start;
  let bytes = 0;
  const events: NewEvent[] = [];
  const accepted: DecidedBatch<State, Command, Event>['accepted'][number][] = [];
  const rejected: DecidedBatch<State, Command, Event>['rejected'][number][] = [];
  for (const [index, waiting] of batch.entries()) {
    let decided: readonly Event[];
    try {
      decided = kind.decider.decide(waiting.command, head.state);
    } catch (error) {
      rejected.push({ waiting, error });
      continue;
    }
    // A single command is appended whatever its size.
    if (batch.length > 1) bytes += decided.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
    if (bytes > kind.maxBytesPerAppend && events.length > 0) return { events, head, accepted, rejected, undecided: batch.slice(index) };
    for (const event of decided) {
      const newEvent = toNewEvent(kind, stream, head, event, waiting, versionOf(event.type));
      events.push(newEvent);
      head = {
        state: kind.decider.evolve(head.state, { ...event, revision: head.revision + 1n }),
        revision: head.revision + 1n,
        hash: newEvent.metadata.hash,
      };
    }
    accepted.push({ waiting, events: decided, state: head.state });
  }
  return { events, head, accepted, rejected, undecided: [] };
}

function toNewEvent<State, Command extends Dated, Event extends DomainEvent>(
  kind: StreamKind<State, Command, Event>,
  stream: string,
  head: Head<State>,
  { type, data }: Event,
  { context }: QueuedCommand<State, Command, Event>,
  schemaVersion: number,
): NewEvent {
  const previous = head.hash ?? GENESIS_HASH;
  return {
    id: randomUUID(),
    type,
    data: data as Record<string, unknown>,
    metadata: {
      $correlationId: context.correlationId,
      ...(context.causationId === context.correlationId ? {} : { $causationId: context.causationId }),
      schema_version: schemaVersion,
      ...(context.mode ? { mode: context.mode } : {}),
      ...(context.instance === undefined ? {} : { instance: context.instance }),
      ...(context.host === undefined ? {} : { host: context.host }),
      ...(context.traceparent ? { traceparent: context.traceparent } : {}),
      ...(kind.chained ? { hash: chainHash(previous, stream, head.revision + 1n, type, data) } : {}),
    },
  };
}

/** The commands of a stream that wait. */
export interface Queue<State, Command, Event extends DomainEvent> {
  waiting: QueuedCommand<State, Command, Event>[];
  deferred: QueuedCommand<State, Command, Event>[];
  /** Whether the deferred commands are to be committed without waiting for others. */
  flushing: boolean;
  /** When the first deferred command has waited for long enough, on the clock's stopwatch; infinite without deferred commands. */
  dueAt: number;
  /** Cancels the timer that flushes the deferred commands. */
  cancelTimer: (() => void) | undefined;
  running: Promise<void> | undefined;
}

/** Other writers were faster for too long. Nothing was appended, and the command may be sent again. */
export class StreamContended extends Error {
  override name = 'StreamContended';
}

/** The caller's signal was aborted before the command was decided. Nothing was appended. */
export class CommandAbandoned extends Error {
  override name = 'CommandAbandoned';
}

/** Returns whether the caller still waits for the command; if not, the command fails. */
export function isWanted<State, Command, Event extends DomainEvent>({ context, reject }: QueuedCommand<State, Command, Event>): boolean {
  if (context.signal?.aborted) reject(new CommandAbandoned('The caller aborted the command before it was decided.'));
  return !context.signal?.aborted;
}

/** Returns one command in place of several deferred ones, which end as it ends. */
export function mergeDeferred<State, Command, Event extends DomainEvent>(
  deferred: readonly QueuedCommand<State, Command, Event>[],
  merge: (commands: readonly Command[]) => Command,
): QueuedCommand<State, Command, Event>[] {
  const [first] = deferred;
  if (!first || deferred.length === 1) return [...deferred];
  return [
    {
      command: merge(deferred.map(({ command }) => command)),
      context: first.context,
      resolve: (committed) => {
        for (const { resolve } of deferred) resolve(committed);
      },
      reject: (error) => {
        for (const { reject } of deferred) reject(error);
      },
    },
  ];
}

/** Bounds of what one append may count for, in milliseconds, and of a whole pause. */
const APPEND_MS = { min: 1, max: 100 };
const PAUSE_MS_MAX = 500;
const DOUBLINGS_MAX = 4;
/** A command fails as contended only after this many lost races and this many milliseconds: longer than a charge waits, shorter than a request. */
const CONTENDED = { races: 12, ms: 15_000 };

/**
 * Returns for how many milliseconds a writer pauses that has lost races in a row: about the length of the other writer's batch, which its own
 * append shows, and twice as long after each further loss. Meanwhile its next batch grows.
 * @param lost number of races lost in a row, at least 1
 * @param appendMs duration of the append that lost
 * @param random from 0 to 1, so that writers do not return at the same moment
 */
export function pauseAfterLostRace(lost: number, appendMs: number, random: number): number {
  const length = Math.min(Math.max(appendMs, APPEND_MS.min), APPEND_MS.max);
  return Math.min((0.5 + random) * length * 2 ** Math.min(lost - 1, DOUBLINGS_MAX), PAUSE_MS_MAX);
}

/** Returns whether a batch that has lost so many races in `ms` milliseconds goes on. */
export function isWorthRetrying(lost: number, ms: number): boolean {
  return lost < CONTENDED.races || ms < CONTENDED.ms;
}
