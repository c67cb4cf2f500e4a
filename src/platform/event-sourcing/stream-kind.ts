import { type Dated, type Decider, type DomainEvent } from './decider.js';
import { type StoredEvent } from './recorded-event.js';
import { hash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';

/** How the stream writer handles a category of streams. */
export interface StreamKind<State, Command extends Dated, Event extends DomainEvent> {
  readonly category: string;
  readonly decider: Decider<State, Command, Event>;
  /** Whether the metadata of every event carries a hash that covers all events before it. */
  readonly chained: boolean;
  readonly maxCommandsPerAppend: number;
  readonly maxBytesPerAppend: number;
  /** Number of states cached between commands; 0 for short streams, which are read for every command. */
  readonly cachedStates: number;
  /**
   * Set if most commands are the first of their stream. If the store says that the stream never was, they are decided on the initial state,
   * and the stream is read only if the append fails with a wrong revision or the command results in no events.
   */
  readonly usuallyNew?: true;
  /** Set if no event depends on an earlier one, so that one that cannot be used stops nobody. */
  readonly independent?: true;
  /** Returns the state at a later revision, after events that were skipped. Set it for a state that knows its revision. */
  readonly atRevision?: (state: State, revision: bigint) => State;
  /** Set if the names of streams that are usually new are random, so that no deleted stream has the name of a new one. */
  readonly namedAtRandom?: true;
  /** Returns the revision from which a long stream must be folded, given its last event. */
  readonly replayFrom?: (last: StoredEvent) => bigint;
  /**
   * Events after a cached state from which on {@link replayFrom} restores the state instead; by default 256, about as many as one append has.
   * A writer that has not written a busy stream for some seconds would otherwise fold thousands of them, while its callers wait.
   */
  readonly maxMissed?: number;
  /**
   * Number of deferred commands from which on the next append contains them. Fewer wait for their time, so that {@link merge} combines more
   * of them. By default every append contains those that wait.
   */
  readonly maxDeferred?: number;
  /** Combines several deferred commands into one. */
  readonly merge?: (commands: readonly Command[]) => Command;
}

/** Settings for streams that are short and seldom written. */
export const SHORT_STREAM = { chained: false, maxCommandsPerAppend: 16, maxBytesPerAppend: 512 * 1024, cachedStates: 0 } as const;

const CONTINUED = 'ended_';

/** Returns the stream for what must be recorded of a stream that was ended for good (a tombstone), which accepts no event. */
export function continuationOf(stream: string): string {
  return CONTINUED + stream;
}

/** Returns the stream that this one continues; undefined if it continues none. */
export function continuedBy(stream: string): string | undefined {
  return stream.startsWith(CONTINUED) ? stream.slice(CONTINUED.length) : undefined;
}

/** Returns the category of a stream: its name up to the first hyphen. */
export function categoryOf(stream: string): string {
  const end = stream.indexOf('-');
  return end < 0 ? stream : stream.slice(0, end);
}

/** Previous hash of the first event of a chained stream. */
export const GENESIS_HASH = '0'.repeat(64);

/** Returns the SHA-256, in hex, of the previous hash, stream, revision, type and canonical JSON (RFC 8785) of the data, one per line. */
export function chainHash(previousHash: string, stream: string, revision: bigint, type: string, data: object): string {
  return hash('sha256', `${previousHash}\n${stream}\n${revision}\n${type}\n${canonicalize(data)}`);
}
