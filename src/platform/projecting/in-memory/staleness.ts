import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Clock } from '../../../kernel/clock.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { type NewEvent, type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { logPages } from '../../event-sourcing/reading/read-log.js';
import { RepeatedWork } from '../../repeated-work.js';
import { lowest, START } from '../checkpoints.js';
import { type Projection } from '../projection.js';
import { type ReadModelListener } from './read-model-listener.js';

const LOOK_EVERY_MS = 1_000;
/** An append whose outcome is unknown may be stored some 30 s after it was sent. */
const OWN_KEPT_MS = 60_000;

interface Model {
  /** Types of the events that it is made from. */
  readonly types: ReadonlySet<string>;
  readonly all: ReadModelLag;
  /** Those of {@link all} that other processes have appended. */
  readonly others: ReadModelLag;
}

type Listener = Pick<ReadModelListener, 'shownBy' | 'refresh'>;

/**
 * Knows for how long each read model has not shown an event of the log that it is made from. It looks once a second for what others have
 * appended. While the read models keep up it reads the position of the newest event alone; otherwise each event once.
 */
@Injectable()
export class Staleness implements OnApplicationShutdown {
  private readonly models: ReadonlyMap<string, Model>;
  /** Ids of events that this process has appended, with the stopwatch's time, oldest first. */
  private readonly own = new Map<string, number>();
  private readonly looks: RepeatedWork;
  /** The position up to which the log was looked at, and that of its newest event at the last look. */
  private readUpTo = START;
  private lastHead = START;
  private looked = 0;

  constructor(
    projections: readonly Projection[],
    private readonly eventStore: EventStore,
    private readonly listener: Listener,
    private readonly clock: Clock,
  ) {
    this.models = new Map(projections.map(({ name, types }) => [name, { types, all: new ReadModelLag(), others: new ReadModelLag() }]));
    // While the event store does not respond, nothing is known of newer events, and the calls that need it fail.
    this.looks = new RepeatedWork(
      LOOK_EVERY_MS,
      () => this.look(),
      () => undefined,
    );
  }

  /**
   * Begins with the two looks after which ages are known: read models that were restored from an old backup may lack the end of a consent or
   * an erasure, and must not count as fresh for the first second.
   */
  async start(): Promise<void> {
    this.eventStore.onSending = (events) => {
      this.noteOwn(events);
    };
    await this.look()
      .then(() => this.look())
      .catch(() => undefined);
    this.looks.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.looks.stop();
  }

  /** False until two looks have shown what the read models lack: one that notes the head, and one that reads up to it. */
  get isKnown(): boolean {
    return this.looked > 1;
  }

  /** Returns the position of the newest event of the last look that the read model does not show; undefined if it shows all of them. */
  newestNotIn(model: string): bigint | undefined {
    return this.models.get(model)?.all.newest(this.listener.shownBy(model))?.position;
  }

  /** Returns the age in ms of the oldest event that the read model does not show, of all or of those that other processes have appended. */
  ageOf(model: string, by: 'anybody' | 'others'): number {
    const events = this.models.get(model);
    const oldest = (by === 'others' ? events?.others : events?.all)?.oldest(this.listener.shownBy(model));
    if (!oldest) return 0;
    // The clock of the process that dated the event may have been wrong, so it counts at least for as long as it is known here.
    return Math.max(this.clock.elapsedMs() - oldest.seenMs, this.clock.now().getTime() - oldest.recordedMs);
  }

  /** Looks for events that are not shown. */
  async look(): Promise<void> {
    const startedMs = this.clock.elapsedMs();
    await this.listener.refresh();
    const head = (await this.eventStore.headPosition()) ?? START;
    const shown = lowest([head, ...Array.from(this.models.keys(), (model) => this.listener.shownBy(model))]);
    if (shown > this.readUpTo) this.readUpTo = shown;
    // Events since the last look may be on their way through the projector.
    if (shown < this.lastHead) await this.readOn(head);
    this.lastHead = head;
    this.looked += 1;
    for (const [id, sentMs] of this.own) {
      if (startedMs - sentMs < OWN_KEPT_MS) break;
      this.own.delete(id);
    }
  }

  private async readOn(head: bigint): Promise<void> {
    const from = this.readUpTo;
    for await (const page of logPages(this.eventStore, from === START ? undefined : from)) {
      for (const event of page) this.note(event);
      this.readUpTo = page.at(-1)?.position ?? this.readUpTo;
      if (this.readUpTo >= head) return;
    }
  }

  private note(event: StoredEvent): void {
    const recorded = Date.parse(String(event.data.recorded_at));
    const seenMs = this.clock.elapsedMs();
    const lagging = { position: event.position, seenMs, recordedMs: Number.isNaN(recorded) ? this.clock.now().getTime() : recorded };
    const isOwn = this.own.has(event.id);
    for (const [name, { types, all, others }] of this.models) {
      const shown = this.listener.shownBy(name);
      if (!types.has(event.type) || shown >= event.position) continue;
      all.add(lagging, shown);
      if (!isOwn) others.add(lagging, shown);
    }
  }

  private noteOwn(events: readonly Pick<NewEvent, 'id' | 'type'>[]): void {
    const now = this.clock.elapsedMs();
    for (const { id, type } of events) if (this.isShownSomewhere(type)) this.own.set(id, now);
  }

  private isShownSomewhere(type: string): boolean {
    for (const { types } of this.models.values()) if (types.has(type)) return true;
    return false;
  }
}

/** An event that a read model may not show. */
interface LaggingEvent {
  readonly position: bigint;
  /** When it was first seen here, in milliseconds of the stopwatch. */
  readonly seenMs: number;
  /** Its date in ms since 1970. */
  readonly recordedMs: number;
}

/** More of them would not make an age more exact than anybody needs. */
const MAX_KEPT = 2_048;
const FIRST_INTERVAL_MS = 1_000;

/**
 * The events that a read model does not show, as far as ages need them: those of one interval are kept as one, with the age of the first and
 * the position of the last, and the interval doubles when there are too many. So an age is too high by one interval at most.
 */
export class ReadModelLag {
  private kept: LaggingEvent[] = [];
  private intervalMs = FIRST_INTERVAL_MS;

  /** Adds an event after those that were added before. Those up to `shown` are forgotten, also if nobody ever asks for their age. */
  add(event: LaggingEvent, shown: bigint): void {
    this.forget(shown);
    const last = this.kept.at(-1);
    if (last && isOfSameAge(last, event, this.intervalMs)) {
      this.kept[this.kept.length - 1] = { ...last, position: event.position };
      return;
    }
    this.kept.push(event);
    if (this.kept.length < MAX_KEPT) return;
    this.intervalMs *= 2;
    const { kept } = this;
    this.kept = kept.flatMap((each, index) => (index % 2 === 0 ? [{ ...each, position: (kept[index + 1] ?? each).position }] : []));
  }

  /** Returns the oldest event after the position `shown`; undefined if there is none. Those up to there are forgotten. */
  oldest(shown: bigint): LaggingEvent | undefined {
    this.forget(shown);
    return this.kept[0];
  }

  /** Returns the newest event after the position `shown`; undefined if there is none. */
  newest(shown: bigint): LaggingEvent | undefined {
    const last = this.kept.at(-1);
    return last && last.position > shown ? last : undefined;
  }

  private forget(shown: bigint): void {
    const [first] = this.kept;
    if (first && first.position <= shown) this.kept = this.kept.filter(({ position }) => position > shown);
    if (this.kept.length === 0) this.intervalMs = FIRST_INTERVAL_MS;
  }
}

function isOfSameAge(one: LaggingEvent, other: LaggingEvent, intervalMs: number): boolean {
  return Math.max(other.seenMs - one.seenMs, other.recordedMs - one.recordedMs) < intervalMs;
}
