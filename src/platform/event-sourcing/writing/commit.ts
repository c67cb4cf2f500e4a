import { type Clock } from '../../../kernel/clock.js';
import { DataKeyDestroyed } from '../../key-store/data-keys.js';
import { inSpan, type SpanOptions } from '../../tracing/spans.js';
import { type Codec } from '../coding/codec.js';
import { type Dated, type DomainEvent } from '../decider.js';
import { type AppendResult, ClockWrong, type EventStore, OutcomeUnknown } from '../event-store.js';
import { type NewEvent, type StoredEvent } from '../recorded-event.js';
import { type StreamKind } from '../stream-kind.js';
import {
  decideBatch,
  type DecidedBatch,
  type Head,
  type QueuedCommand,
  isWanted,
  isWorthRetrying,
  pauseAfterLostRace,
  StreamContended,
} from './batch.js';
import { type StillUnknown } from './known-append.js';
import { type AssumedHead, type StreamStates } from './stream-states.js';

/** Lost races without a new event after which the writer looks whether events are hidden. A node that lags behind its leader shows them sooner. */
const HIDDEN_AFTER = 3;
/** Milliseconds for which an append of unknown outcome is sent with its dates (evidence, "Clocks"). */
const SENT_FOR_MS = 30_000;
/** Milliseconds after which a writer looks again at a clock that is wrong, or for an event that its node does not show yet. */
const LOOK_AGAIN_MS = 500;

export interface CommitParts<State, Command extends Dated, Event extends DomainEvent> {
  readonly eventStore: EventStore;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly kind: StreamKind<State, Command, Event>;
  readonly states: StreamStates<State, Command, Event>;
}

/** The outcome of a commit: what was decided, and the position of its append; undefined if nothing was appended. */
export interface Committed<State, Command, Event extends DomainEvent> {
  readonly decided: DecidedBatch<State, Command, Event>;
  readonly position: bigint | undefined;
}

/**
 * One commit: decides the commands of a batch and appends their events. After a wrong revision it reads the new events and decides again,
 * together with the commands that have arrived meanwhile; after an append of unknown outcome, with a later date. Its attempts end only when
 * it is known which of them was stored.
 */
export class Commit<State, Command extends Dated, Event extends DomainEvent> {
  /** Appends at this head that were sent for as long as they may be, and may still be stored. */
  private readonly sent: DecidedBatch<State, Command, Event>[] = [];
  private isDatedAgain = false;
  private lost = 0;

  /**
   * @param at the state on which the commands are decided first
   * @param arrived takes the commands that have arrived since, up to a number
   */
  constructor(
    private readonly parts: CommitParts<State, Command, Event>,
    private readonly stream: string,
    private at: AssumedHead<State>,
    private batch: readonly QueuedCommand<State, Command, Event>[],
    private readonly arrived: (max: number) => readonly QueuedCommand<State, Command, Event>[],
  ) {}

  /** The commands that have not been resolved, rejected or dropped. */
  get commands(): readonly QueuedCommand<State, Command, Event>[] {
    return this.batch;
  }

  /**
   * Returns what was decided; undefined if nobody waits for it any more.
   * @throws StreamContended, OutcomeUnknown, EventSetAside, HistoryMissing, ClockWrong, and errors of the codec and of the event store
   */
  async run(): Promise<Committed<State, Command, Event> | undefined> {
    const { kind, codec, clock } = this.parts;
    const startedAt = clock.elapsedMs();
    while (isWorthRetrying(this.lost, clock.elapsedMs() - startedAt)) {
      const decided = decideBatch(kind, this.stream, this.at.head, this.batch, (type) => codec.version(type));
      const committed = decided.events.length === 0 ? await this.endWithoutAppend(decided) : await this.appendAll(decided);
      if (committed) return committed;
      if (this.batch.length === 0) return undefined;
    }
    throw new StreamContended(
      `Other writers changed ${this.stream} before each attempt, for too long. Nothing was appended; send the command again.`,
    );
  }

  /** Nothing is to be appended, so nothing proves that the state was current: the log is read before the commands are rejected. */
  private async endWithoutAppend(decided: DecidedBatch<State, Command, Event>): Promise<Committed<State, Command, Event> | undefined> {
    if (this.sent.length > 0) throw this.mayBeStored();
    return this.at.verified || !(await this.readOn()) ? { decided, position: undefined } : undefined;
  }

  private async appendAll(decided: DecidedBatch<State, Command, Event>): Promise<Committed<State, Command, Event> | undefined> {
    const { codec, clock } = this.parts;
    const encrypted = await codec.encode(this.stream, decided.events).catch(returnIfDestroyed);
    if (encrypted instanceof DataKeyDestroyed) {
      if (this.sent.length > 0) throw this.mayBeStored();
      // The farmer was erased after this state, and the log says so. If it does not, the commands fail.
      if (await this.readOn()) return undefined;
      throw encrypted;
    }
    const appendingAt = clock.elapsedMs();
    const result = await this.append(encrypted);
    if (result.kind === 'appended') return { decided, position: result.position };
    if (result.kind === 'wrong_revision') return await this.decideAgain(clock.elapsedMs() - appendingAt);
    if (result.kind === 'unknown') this.sent.push(decided);
    this.dateAgain();
    return undefined;
  }

  /** Reads the events that another writer has appended. Returns what one of this commit's own appends has stored, if it was that. */
  private async decideAgain(appendMs: number): Promise<Committed<State, Command, Event> | undefined> {
    const { kind, eventStore, clock, states } = this.parts;
    const stored = this.sent.length > 0 ? await this.storedAfter(this.at.head.revision) : undefined;
    if (stored) return stored;
    this.sent.length = 0;
    // Another writer is active only if it was faster than this one since it read the stream. A cached or assumed state may be older.
    if (this.at.verified) {
      this.lost += 1;
      await clock.delay(pauseAfterLostRace(this.lost, appendMs, Math.random()));
    }
    const wanted = this.batch.filter(isWanted);
    this.batch = [...wanted, ...this.arrived(Math.max(0, kind.maxCommandsPerAppend - wanted.length))];
    if (this.batch.length === 0) return undefined;
    const isSame = !this.moveTo(await states.readAgain(this.stream, this.at.head));
    // Another writer's events, which refused the append, are still not there: they may be hidden.
    if (isSame && this.lost >= HIDDEN_AFTER) await eventStore.examineHistory(this.stream);
    return undefined;
  }

  /** Reads the later events of the stream. Returns whether there are any. */
  private async readOn(): Promise<boolean> {
    return this.moveTo(await this.parts.states.read(this.stream, this.at.head));
  }

  private moveTo(head: Head<State>): boolean {
    const isLater = head.revision !== this.at.head.revision;
    this.at = { head, verified: true };
    return isLater;
  }

  /** Gives the commands a later date, because they are decided again. */
  private dateAgain(): void {
    const at = this.parts.clock.iso();
    this.batch = this.batch.map((waiting) => ({ ...waiting, command: { ...waiting.command, at } }));
    this.isDatedAgain = true;
  }

  /**
   * Returns which of several appends at one place was stored, if it is one of them: the event there tells it by its id. There is one, because
   * the place is taken, but the node that responds may not show it yet.
   */
  private async storedAfter(revision: bigint): Promise<Committed<State, Command, Event> | undefined> {
    const { eventStore, clock } = this.parts;
    let first: StoredEvent | undefined;
    while (!(first = await eventStore.eventIn(this.stream, revision + 1n))) await clock.delay(LOOK_AGAIN_MS);
    const { id } = first;
    const decided = this.sent.find(({ events: [event] }) => event?.id === id);
    return decided && { decided, position: (await eventStore.eventIn(this.stream, decided.head.revision))?.position };
  }

  /**
   * Appends in a span that belongs to the trace of the first command and links to those of the others.
   * Returns `unsent` if only the dates are wrong, because the process was paused or its clock was set after the commands; and while the clock
   * is wrong, but an earlier append at this place may still be stored.
   */
  private async append(events: readonly NewEvent[]): Promise<AppendResult | StillUnknown | { readonly kind: 'unsent' }> {
    const { kind, eventStore, clock } = this.parts;
    const isAnother = this.sent.length > 0;
    const traced = (): SpanOptions => {
      const [first, ...others] = events.map(({ metadata }) => metadata.traceparent);
      return {
        attributes: { 'rupa.stream.category': kind.category, 'rupa.append.events': events.length },
        parent: first,
        links: others.filter((each) => each !== first),
      };
    };
    try {
      return await inSpan(`append ${kind.category}`, traced, () =>
        eventStore.tryAppend(this.stream, events, this.at.head.revision, { forMs: SENT_FOR_MS, isAnother }),
      );
    } catch (error) {
      if (!(error instanceof ClockWrong)) throw error;
      if (error.fault.kind === 'date' && !this.isDatedAgain) return { kind: 'unsent' };
      if (!isAnother) throw error;
      await clock.delay(LOOK_AGAIN_MS);
      return { kind: 'unsent' };
    }
  }

  private mayBeStored(): OutcomeUnknown {
    return new OutcomeUnknown(`Commands on ${this.stream} can no longer be sent, but may still be stored.`);
  }
}

function returnIfDestroyed(error: unknown): DataKeyDestroyed {
  if (error instanceof DataKeyDestroyed) return error;
  throw error;
}
