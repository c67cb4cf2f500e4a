import { Gauge, type Registry } from 'prom-client';
import { type Logger } from 'pino';
import { type EventStore } from '../platform/event-sourcing/event-store.js';
import { HistoryWatch } from '../platform/event-sourcing/reading/history-watch.js';
import { CATEGORIES } from './event-streams.js';

/** Returns the number of streams whose history is missing, by category. Names of streams may hold Rupa IDs, so they are not among it. */
function missingByCategory({ missingHistories }: Pick<EventStore, 'missingHistories'>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { category } of missingHistories.list()) counts.set(category, (counts.get(category) ?? 0) + 1);
  return counts;
}

/** Returns a sentence for each category of which the history of a stream is missing. */
export function missingHistoryReasons(eventStore: Pick<EventStore, 'missingHistories'>): string[] {
  return [...missingByCategory(eventStore)].map(
    ([category, count]) => `The history of ${count} ${count === 1 ? 'stream' : 'streams'} of the category ${category} is missing.`,
  );
}

/** Starts to look for streams whose history is missing, and logs the category of each. Returns the function that ends it. */
export function watchHistory(eventStore: EventStore, logger?: Logger): () => Promise<void> {
  eventStore.missingHistories.onFound(({ category, oldest, last }) => {
    const found = { category, oldest: oldest?.toString() ?? null, last: last?.toString() ?? null };
    logger?.error(found, 'the history of a stream is missing, so that calls that need it get 503: rupa doctor names the stream');
  });
  const watch = new HistoryWatch(eventStore, CATEGORIES);
  watch.start();
  return () => watch.stop();
}

/** Exports the number of streams whose history is missing. One thread per process has to do that, and to watch the history. */
export function exportMissingHistory(registry: Registry, eventStore: Pick<EventStore, 'missingHistories'>): void {
  new Gauge({
    name: 'rupa_history_missing_streams',
    help: 'Streams of which events are hidden or gone, so that calls that need them get 503 `history_missing`',
    labelNames: ['category'],
    registers: [registry],
    collect() {
      this.reset();
      const counts = missingByCategory(eventStore);
      for (const category of CATEGORIES) this.set({ category }, counts.get(category) ?? 0);
    },
  });
}
