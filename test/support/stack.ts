import { type Pool } from 'pg';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { type EventCatalogue } from '../../src/platform/event-sourcing/coding/event-schema.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { type Projection } from '../../src/platform/projecting/projection.js';
import { Projector, type ProjectorOptions } from '../../src/platform/projecting/applying/projector.js';
import { type ShadowParts } from '../../src/platform/projecting/rebuilding/shadow.js';
import { RowMacs } from '../../src/platform/projecting/row-macs.js';
import { prepareReadModels } from '../../src/platform/projecting/applying/start-up.js';
import { MASTER_KEY } from './row-macs.js';
import { createMigratedDatabase, testPool } from './database.js';
import { type EventStoreProcess, startEventStoreProcess } from './event-store-process.js';
import { openPatiently } from './patient-log.js';

/** A real event store and a real database, with the parts of the service that read and write them. */
export interface Stack {
  /** Creates the tables and projects the log until `stop`; `ended` resolves with the result or the error that ended the projector. */
  project(
    projections: readonly Projection[],
    options?: Partial<ProjectorOptions>,
  ): { readonly prepared: Promise<unknown>; readonly ended: Promise<unknown>; readonly stop: () => Promise<unknown> };
  readonly parts: ShadowParts;
  readonly store: EventStoreProcess;
  readonly eventStore: EventStore;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly codec: Codec;
  /** Returns a codec that has no data key in memory. */
  freshCodec(): Codec;
  close(): Promise<void>;
}

/** The event types without their streams and shapes, for specs that append past the deciders: where they like, and only what they look at. */
export const ANY_STREAM: EventCatalogue = Object.fromEntries(
  Object.entries(eventCatalogue).map(([type, { streams: _streams, shape: _shape, ...schema }]) => [type, schema]),
);

/** @param catalogue the event types that the codec knows */
export async function startStack(catalogue: EventCatalogue = eventCatalogue): Promise<Stack> {
  const [store, database] = await Promise.all([startEventStoreProcess(), createMigratedDatabase()]);
  const pool = testPool(database.url, 8);
  // A test that does not run for two seconds, on a busy machine, would lose its connection, and nothing here begins the projector again.
  const eventStore = openPatiently(store.connectionString);
  const masterKeys = MasterKeys.parse(MASTER_KEY);
  const freshCodec = (): Codec => new Codec(catalogue, new DataKeys(pool, masterKeys));
  const codec = freshCodec();
  const macs = new RowMacs(masterKeys);
  const parts = { pool, eventStore, codec, macs };
  const running: (() => Promise<unknown>)[] = [];
  return {
    store,
    parts,
    project: (projections, over = {}) => {
      const stopping = new AbortController();
      const options = { projections, schema: 'read', maxBatch: 100, directory: [], onFault: () => undefined, ...over };
      const prepared = prepareReadModels(parts, projections, 'read');
      const ended = prepared
        .then(() => new Projector(pool, eventStore, codec, macs, options).run(stopping.signal))
        .catch((error: unknown) => error);
      const stop = (): Promise<unknown> => {
        stopping.abort();
        return ended;
      };
      running.push(stop);
      return { prepared, ended, stop };
    },
    eventStore,
    databaseUrl: database.url,
    pool,
    masterKeys,
    codec,
    freshCodec,
    close: async () => {
      for (const stop of running) await stop();
      await eventStore.close();
      await pool.end();
      await store.close();
      await database.drop();
    },
  };
}
