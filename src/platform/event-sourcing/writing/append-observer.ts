import { type NewEvent } from '../recorded-event.js';

/** Receives the outcome of every append. Its methods must not throw. */
export interface AppendObserver {
  /** @param category the stream's name without the id */
  appended(category: string, events: readonly NewEvent[], seconds: number): void;
  conflicted(category: string): void;
  resent(): void;
}
