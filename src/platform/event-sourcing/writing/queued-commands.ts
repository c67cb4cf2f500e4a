import { type QueuedCommand } from './batch.js';
import { type DomainEvent } from '../decider.js';

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
