import { type Clock } from '../../../kernel/clock.js';
import { type Codec } from '../coding/codec.js';
import { type Dated, type DomainEvent } from '../decider.js';
import { type EventStore } from '../event-store.js';
import { type StreamKind } from '../stream-kind.js';
import { StreamWriter } from './stream-writer.js';

/** The stream writer of a kind of streams. */
export type WriterOf<Kind> = Kind extends StreamKind<infer State, infer Command, infer Event> ? StreamWriter<State, Command, Event> : never;

/** The process' stream writers, one per kind of streams: commands for a stream are decided together only if they share a writer. */
export class Streams {
  private readonly writers = new Map<unknown, unknown>();

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly clock: Clock,
  ) {}

  /** Returns the writer of a kind. The kind is a constant of its context's domain, so the same one yields the same writer. */
  of<State, Command extends Dated, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
  ): StreamWriter<State, Command, Event> {
    const known = this.writers.get(kind) as StreamWriter<State, Command, Event> | undefined;
    if (known) return known;
    const writer = new StreamWriter(this.eventStore, this.codec, kind, this.clock);
    this.writers.set(kind, writer);
    return writer;
  }
}
