import { type Pool } from 'pg';
import { createStoreClients } from '../../stores/store-clients.js';
import { eventStoreNote, postgresNote } from '../../stores/client-variables.js';
import { type Settings } from '../../settings/declaration.js';
import { type StoreAddresses } from '../../stores/stores.js';
import {
  checkCheckpoints,
  checkDestroyedKeys,
  checkHistories,
  checkLostEvents,
  checkUnusableEvents,
  checkForgedRows,
  checkKeyStore,
} from './check-stored-data.js';
import { checkEventStore } from './check-event-store.js';
import { checkPooler, checkPostgres } from './check-postgres.js';
import { checkProjections } from './check-projections.js';
import { checkNode, checkProduction } from './check-host.js';
import { attempt, type Finding } from './finding.js';

/** Short, so that a store that hangs is reported soon. */
const STALL_TIMEOUT_MS = 3_000;
const POOL_SIZE = 2;

/** Examines the settings and the stores without changing anything. Checks that need a store that does not answer are left out. */
export async function examine(settings: Settings, stores: StoreAddresses, now: () => number = Date.now): Promise<readonly Finding[]> {
  const { pool, eventStore, close } = createStoreClients(stores, { poolSize: POOL_SIZE, stallTimeoutMs: STALL_TIMEOUT_MS });
  try {
    const [log, database] = await Promise.all([
      checkEventStore(eventStore, now, settings.eventStoreUrl === undefined),
      checkDatabase(pool, stores.databaseUrl, now),
    ]);
    const isUp = (findings: readonly Finding[], check: string): boolean =>
      findings.some((finding) => finding.check === check && finding.status !== 'failure');
    const histories = isUp(log, 'event store')
      ? await attempt('history', 'Allow the user in EVENT_STORE_URL to read $all.', () => checkHistories(eventStore))
      : [];
    const keys = isUp(database, 'PostgreSQL')
      ? await attempt('key store', 'Allow the user in DATABASE_URL to read the schemas key_store and read.', async () => [
          ...(await checkKeyStore(pool, stores.masterKey)),
          ...(await checkDestroyedKeys(pool)),
        ])
      : [];
    const both = isUp(database, 'PostgreSQL') && isUp(log, 'event store');
    const readModels = both
      ? await attempt('read models', 'Allow the user in DATABASE_URL to read the schemas ops and read.', () =>
          checkProjections(pool, eventStore),
        )
      : [];
    const unusable = both
      ? await attempt('events', 'Allow the user in DATABASE_URL to read the schema ops.', () => checkUnusableEvents(pool))
      : [];
    const forged = both ? await attempt('rows', 'Allow the user in DATABASE_URL to read the schema ops.', () => checkForgedRows(pool)) : [];
    const lost = both
      ? await attempt('lost events', 'Allow the user in DATABASE_URL to read the schemas key_store and ops.', () =>
          checkLostEvents(pool, eventStore, stores.masterKey),
        )
      : [];
    const checkpoints = isUp(log, 'event store')
      ? await attempt('checkpoints', 'Allow the user in EVENT_STORE_URL to read $all.', () =>
          checkCheckpoints(eventStore, settings.checkpointEverySeconds, now),
        )
      : [];
    const seen = [
      ...withNote(log, 'event store', eventStoreNote(stores.eventStoreUrl)),
      ...withNote(database, 'PostgreSQL', postgresNote(stores.databaseUrl)),
    ];
    return [
      checkNode(),
      ...checkProduction(settings),
      ...seen,
      ...histories,
      ...keys,
      ...readModels,
      ...unusable,
      ...forged,
      ...lost,
      ...checkpoints,
    ];
  } finally {
    await close();
  }
}

/** Sends nothing through a pooler that shares sessions: the settings of each connection would reach other programs. */
async function checkDatabase(pool: Pool, databaseUrl: string, now: () => number): Promise<readonly Finding[]> {
  const unfit = await checkPooler(databaseUrl);
  return unfit.length > 0 ? unfit : await checkPostgres(pool, now);
}

/** Appends the variables of the environment that change a connection to the finding that it fails. */
function withNote(findings: readonly Finding[], check: string, note: string): readonly Finding[] {
  return findings.map((finding) =>
    finding.check === check && finding.status === 'failure' ? { ...finding, found: `${finding.found}${note}` } : finding,
  );
}
