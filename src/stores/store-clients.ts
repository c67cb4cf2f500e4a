import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { createPool } from '../platform/database/pool.js';
import { type StatementKind } from '../platform/database/session-settings.js';
import { type AppendObserver, EventStore, type EventStoreOptions } from '../platform/event-sourcing/event-store.js';
import { ClockGuard } from '../platform/event-sourcing/writing/clock-guard.js';
import { recogniseLogOf } from '../platform/projecting/logs/foreign-log.js';
import { Outages } from '../platform/store-outages.js';
import { SystemClock } from '../platform/system-clock.js';
import { type StoreAddresses } from './stores.js';
import { ClockWatch } from './watch-clock.js';

export interface ClientOptions {
  /** PostgreSQL connections that the pool may open. */
  readonly poolSize: number;
  /** Logs broken connections and retried appends. Without a logger nothing is logged. */
  readonly logger?: Logger;
  /** Limits the time of each statement. Default: that of background work. */
  readonly statements?: StatementKind;
  /** Milliseconds after which a call to the event store counts as stalled. */
  readonly stallTimeoutMs?: number;
  /** Counts the appends of the event store's client. */
  readonly observer?: AppendObserver;
  /** Whether each new connection is refused unless its log is the one that the database was used with. */
  readonly recognisesLog?: boolean;
}

/** The clients of both stores. Neither opens a connection before its first use. */
export interface StoreClients {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  /** Refuses appends of this client while the clock of the process is wrong. It is asked once {@link compareClocks} was called. */
  readonly clockGuard: ClockGuard;
  /** Begins to compare the clock of the process with the database's. Resolves after the first comparison. */
  compareClocks(this: void): Promise<void>;
  /** Closes the clients. Everything that uses them must have stopped before. */
  close(this: void): Promise<void>;
}

/** Makes the only event store client of a thread (docs/adr/0003) and a PostgreSQL pool. */
export function createStoreClients(stores: Pick<StoreAddresses, 'databaseUrl' | 'eventStoreUrl'>, options: ClientOptions): StoreClients {
  const { poolSize, logger, statements = 'background' } = options;
  const outages = new Outages();
  const onError = (error: Error): void => {
    if (outages.isNew(error)) logger?.warn({ reason: error.message }, 'a database connection broke');
  };
  const pool = createPool(stores.databaseUrl, poolSize, onError, { statements });
  const recognise = options.recognisesLog ? recogniseLogOf(stores.databaseUrl) : undefined;
  const clock = new SystemClock();
  const clockGuard = new ClockGuard(clock, false);
  const eventStore = createEventStore(stores.eventStoreUrl, options, { recognise, clockGuard });
  const watch = new ClockWatch(clockGuard, { pool, eventStore }, clock, logger);
  return {
    pool,
    eventStore,
    clockGuard,
    compareClocks: () => {
      clockGuard.begin();
      return watch.start();
    },
    close: async () => {
      watch.stop();
      await eventStore.close();
      await pool.end();
    },
  };
}

/** Makes an event store client without a pool, for example for the event store that events are copied to. */
export function createEventStore(
  eventStoreUrl: string,
  options: Omit<ClientOptions, 'poolSize' | 'recognisesLog'> = {},
  { recognise, clockGuard }: Pick<EventStoreOptions, 'recognise' | 'clockGuard'> = {},
): EventStore {
  const { logger, stallTimeoutMs, observer } = options;
  return new EventStore(eventStoreUrl, {
    onWarning: (message) => {
      logger?.warn(message);
    },
    ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
    ...(observer === undefined ? {} : { observer }),
    ...(recognise === undefined ? {} : { recognise }),
    ...(clockGuard === undefined ? {} : { clockGuard }),
  });
}
