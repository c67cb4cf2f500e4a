import { join } from 'node:path';
import { type LogCheck } from '../../cli/runtime.js';
import { EventStore, PermanentStoreError } from '../../platform/event-sourcing/event-store.js';
import { UnusableEvents } from './find-unusable-events.js';
import { findMissingHistories } from '../../platform/event-sourcing/reading/history-watch.js';
import { logPages } from '../../platform/event-sourcing/reading/read-log.js';
import { type Progress } from '../../platform/projecting/rebuilding/shadow.js';
import { type Settings } from '../../settings/declaration.js';
import { CATEGORIES } from '../../stores/event-streams.js';
import { findRunningStores, refuseMissingStores } from '../../stores/stores.js';

/** As long as reading a long log takes. */
const SEARCH_MS = 6 * 3_600_000;

type OnProgress = (progress: Progress) => void;

/** Returns the folder of the embedded event store if no process uses it, so that its files can be read; undefined otherwise. @throws StoresMissing if there is none */
export async function idleLogFolder(settings: Settings): Promise<string | undefined> {
  if (settings.eventStoreUrl !== undefined || (await findRunningStores(settings)) !== undefined) return undefined;
  return join(await refuseMissingStores(settings, ['eventStore']), 'event-store');
}

/** Checks the files of the embedded event store, down to each page and checksum, and then what they hold, through a store of its own. */
export async function checkIdleLog(folder: string, onProgress: OnProgress): Promise<LogCheck> {
  const { checkFolder } = await import('../../../embedded/event-store/storing/check-folder.js');
  const files = await checkFolder(folder, (done, total) => {
    onProgress({ events: done, position: BigInt(done), target: BigInt(total) });
  });
  if (files.faults.length > 0) return files;
  const { startEventStoreInWorker } = await import('../../../embedded/event-store/in-worker.js');
  const store = await startEventStoreInWorker({ dataDir: folder });
  const eventStore = new EventStore(store.connectionString);
  try {
    return await checkThroughStore(eventStore, onProgress);
  } finally {
    await eventStore.close();
    await store.close();
  }
}

/** Reads every event through the running store, which checks each one that it reads. Ends at the first damaged one. */
export async function checkThroughStore(eventStore: EventStore, onProgress: OnProgress): Promise<LogCheck> {
  let events = 0;
  const unusable = new UnusableEvents();
  try {
    const target = (await eventStore.headPosition()) ?? 0n;
    for await (const page of logPages(eventStore)) {
      events += page.length;
      unusable.add(page);
      onProgress({ events, position: page.at(-1)?.position ?? 0n, target });
    }
    const { missing } = await findMissingHistories(eventStore, CATEGORIES, SEARCH_MS);
    return { events, faults: [...unusable.faults(), ...missing.map(({ message }) => message)], notes: unusable.notes() };
  } catch (error) {
    if (!(error instanceof PermanentStoreError)) throw error;
    return { events, faults: [...unusable.faults(), error.message] };
  }
}
