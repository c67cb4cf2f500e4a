import { EventStore } from '../../src/platform/event-sourcing/event-store.js';

/**
 * Opens a log for a test. A service ends a connection on which nothing answers for two seconds, and with it its reads and subscriptions; a
 * test whose process is paused for as long would lose them, too.
 */
export function openPatiently(connectionString: string): EventStore {
  return new EventStore(`${connectionString}&keepAliveInterval=-1`);
}
