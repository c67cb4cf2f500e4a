import { EventStore } from '../platform/event-sourcing/event-store.js';
import { type OpenStores, withStores } from './with-app.js';

/** A store that is busy on a busy machine is not one that stalls. */
const STALL_TIMEOUT_MS = 30_000;

/** The log of the service's stores as it lies there, and nothing that opens what is sealed in it. Ctrl-C aborts the signal. */
export async function withEventStore<T>(work: (eventStore: EventStore, signal: AbortSignal, open: OpenStores) => Promise<T>): Promise<T> {
  return await withStores(async (open) => {
    const stopping = new AbortController();
    const stop = (): void => {
      stopping.abort(new Error('Stopped; the same command goes on where it was.'));
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
    const eventStore = connect(open.stores.eventStoreUrl, open);
    try {
      return await work(eventStore, stopping.signal, open);
    } finally {
      await eventStore.close();
      process.off('SIGINT', stop).off('SIGTERM', stop);
    }
  });
}

export function connect(url: string, { logger }: Pick<OpenStores, 'logger'>): EventStore {
  return new EventStore(url, {
    stallTimeoutMs: STALL_TIMEOUT_MS,
    onWarning: (message) => {
      logger.warn(message);
    },
  });
}
