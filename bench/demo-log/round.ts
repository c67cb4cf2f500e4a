import { eventCatalogue } from '../../src/app/event-catalogue.js';
import { decideBatch, type Head, type StreamKind } from '../../src/platform/event-sourcing/batch.js';
import { type EventCatalogue } from '../../src/platform/event-sourcing/codec.js';
import { type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';

/** New events of one stream, in clear. */
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
 * A stretch of the history, stream by stream. What concerns two streams lies a whole round apart where their order matters, so
 * that streams may be appended to side by side.
 */
export class Round {
  readonly appends = new Map<string, StreamAppend>();
  /** Farmers that it registers. */
  readonly farmers: string[] = [];
  /** Signing secrets that it names. */
  readonly secrets: { readonly endpoint_id: number; readonly secret_id: string }[] = [];
  events = 0;

  /** @param timeOf ISO 8601, UTC, of the nth event of the history. */
  constructor(
    private readonly before: number,
    private readonly timeOf: (event: number) => string,
  ) {}

  now(): string {
    return this.timeOf(this.before + this.events);
  }

  /** Decides one command as the service would; answers the stream's head after it. @throws Rejection */
  decide<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    head: Head<State>,
    command: Command,
    { correlationId, mode }: Context,
  ): Head<State> {
    const stream = `${kind.category}-${id}`;
    const context = { correlationId, causationId: correlationId, ...(mode ? { mode } : {}) };
    const decided = decideBatch(kind, stream, head, [{ command, context, resolve: ignore, reject: ignore }], versionOf);
    const [refused] = decided.refused;
    if (refused) throw refused.refusal;
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
