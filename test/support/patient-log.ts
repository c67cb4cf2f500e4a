import { EventStore } from '../../src/platform/event-sourcing/event-store.js';

/** Milliseconds after which a call fails: longer than any pause of a busy machine. */
export const NEVER_STALLS_MS = 600_000;

/**
 * Opens a log for a test. A service ends a connection on which nothing answers for two seconds, or a call gets no response for five, and with
 * it its reads and subscriptions. A test would lose them, too, when its process or that of the store is paused for as long.
 */
export function openPatiently(connectionString: string): EventStore {
  return new EventStore(`${connectionString}&keepAliveInterval=-1`, { stallTimeoutMs: NEVER_STALLS_MS });
}
