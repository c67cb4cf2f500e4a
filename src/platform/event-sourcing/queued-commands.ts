import { type QueuedCommand } from './batch.js';
import { type DomainEvent } from './decider.js';

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
