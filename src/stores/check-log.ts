import { join } from 'node:path';
import { type LogCheck } from '../cli/runtime.js';
import { EventStore, PermanentStoreError } from '../platform/event-sourcing/event-store.js';
import { findMissingHistories } from '../platform/event-sourcing/reading/history-watch.js';
import { logPages } from '../platform/event-sourcing/reading/read-log.js';
import { type Progress } from '../platform/projecting/rebuilding/shadow.js';
import { type Settings } from '../settings/declaration.js';
import { CATEGORIES } from './event-streams.js';
import { findRunningStores, refuseMissingStores } from './stores.js';
import { Codec } from '../platform/event-sourcing/coding/codec.js';
import { type StoredEvent } from '../platform/event-sourcing/recorded-event.js';
import { type DataKeys } from '../platform/key-store/data-keys.js';
import { skippedIdOf } from '../platform/unusable-events/skipped-events.js';
import { eventCatalogue } from './event-catalogue.js';

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
  const { checkFolder } = await import('../../embedded/event-store/storing/check-folder.js');
  const files = await checkFolder(folder, (done, total) => {
    onProgress({ events: done, position: BigInt(done), target: BigInt(total) });
  });
  if (files.faults.length > 0) return files;
  const { startEventStoreInWorker } = await import('../../embedded/event-store/in-worker.js');
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

/** Finds the events of a log that the service cannot use (docs/adr/0030), page by page. */
class UnusableEvents {
  /** Nothing is decrypted, so the codec never asks for a key. */
  private readonly codec = new Codec(eventCatalogue, {} as DataKeys);
  private readonly found = new Map<string, string>();
  private skipped = 0;
  private foreign = 0;

  add(page: readonly StoredEvent[]): void {
    const { usable, unusable, foreign } = this.codec.sort(page);
    this.foreign += foreign;
    for (const { event, reason } of unusable) this.found.set(event.id, sentence(event, reason));
    for (const id of usable.flatMap((event) => skippedIdOf(event) ?? [])) if (this.found.delete(id)) this.skipped += 1;
  }

  /** Returns a sentence for each event that cannot be used and was not skipped. */
  faults(): string[] {
    return [...this.found.values()];
  }

  /** Returns a sentence about the events that are passed over, if there are any. */
  notes(): string[] {
    return [
      ...(this.skipped > 0 ? [`${this.skipped} cannot be used and were skipped by an operator.`] : []),
      ...(this.foreign > 0 ? [`${this.foreign} are in streams that are not the service’s, and are passed over.`] : []),
    ];
  }
}

function sentence({ id, stream, revision, position, type }: StoredEvent, reason: string): string {
  return `The event ${id} (type ${type}, ${stream} at revision ${revision}, position ${position}) cannot be used, because ${reason}.`;
}
