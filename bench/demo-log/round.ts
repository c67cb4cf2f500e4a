import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { decideBatch, type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { type StreamKind } from '../../src/platform/event-sourcing/stream-kind.js';
import { type EventCatalogue } from '../../src/platform/event-sourcing/coding/event-schema.js';
import { type Dated, type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';

/** New events of one stream, not encrypted yet. */
export interface StreamAppend {
  readonly stream: string;
  readonly expectedRevision: bigint;
  readonly events: NewEvent[];
}

interface Context {
  readonly correlationId: string;
  readonly mode?: 'live' | 'sandbox';
}

const catalogue: EventCatalogue = eventCatalogue;
const versionOf = (type: string): number => catalogue[type]?.version ?? 1;
const ignore = (): void => undefined;

/**
 * A section of the history, by stream. Where the order of events of two streams matters, they are a whole round apart, so that the
 * streams of a round can be appended to concurrently.
 */
export class Round {
  readonly appends = new Map<string, StreamAppend>();
  /** Farmers that are registered in this round. */
  readonly farmers: string[] = [];
  /** Signing secrets that events of this round refer to. */
  readonly secrets: { readonly endpoint_id: number; readonly secret_id: string }[] = [];
  events = 0;

  /** @param timeOf returns the time of the nth event of the history, in ISO 8601, UTC. */
  constructor(
    private readonly before: number,
    private readonly timeOf: (event: number) => string,
  ) {}

  now(): string {
    return this.timeOf(this.before + this.events);
  }

  /** Decides one command like the service. Returns the new head of the stream. @throws Rejection */
  decide<State, Command extends Dated, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    head: Head<State>,
    command: Command,
    { correlationId, mode }: Context,
  ): Head<State> {
    const stream = `${kind.category}-${id}`;
    const context = { correlationId, causationId: correlationId, ...(mode ? { mode } : {}) };
    const decided = decideBatch(kind, stream, head, [{ command, context, resolve: ignore, reject: ignore }], versionOf);
    const [rejected] = decided.rejected;
    if (rejected) throw rejected.error;
    if (decided.events.length === 0) return head;
    this.appendTo(stream, head.revision).push(...decided.events);
    this.events += decided.events.length;
    return decided.head;
  }

  private appendTo(stream: string, expectedRevision: bigint): NewEvent[] {
    let append = this.appends.get(stream);
    if (!append) {
      append = { stream, expectedRevision, events: [] };
      this.appends.set(stream, append);
    }
    return append.events;
  }
}
