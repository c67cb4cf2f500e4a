import { type AtRevision, type DomainEvent } from './decider.js';

/** Learns what a stream writer learns about its streams. Its methods must not throw. */
export interface StreamObserver<Event extends DomainEvent> {
  /** Another writer was faster. */
  lostRace(stream: string): void;
  /** The writer appended or read these events, which follow each other. */
  advanced(stream: string, events: readonly AtRevision<Event>[]): void;
}
