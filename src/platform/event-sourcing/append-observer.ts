import { type NewEvent } from './recorded-event.js';

/** Is told what becomes of appends; must not throw. */
export interface AppendObserver {
  /** @param category of the stream: its name without the id. */
  appended(category: string, events: readonly NewEvent[], seconds: number): void;
  conflicted(category: string): void;
  sentAgain(): void;
}
