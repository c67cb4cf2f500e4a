import { type Pool } from 'pg';
import { createStoreClients } from '../../stores/store-clients.js';
import { eventStoreNote, postgresNote } from '../../stores/client-variables.js';
import { type Settings } from '../../settings/declaration.js';
import { type StoreAddresses } from '../../stores/stores.js';
import {
  checkCheckpoints,
  checkHistories,
  checkLostEvents,
  checkUnusableEvents,
  checkFarmersKeys,
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
export async function examine(settings: Settings, stores: StoreAddresses): Promise<readonly Finding[]> {
  const { pool, eventStore, close } = createStoreClients(stores, { poolSize: POOL_SIZE, stallTimeoutMs: STALL_TIMEOUT_MS });
  try {
    const [log, database] = await Promise.all([
      checkEventStore(eventStore, Date.now, settings.eventStoreUrl === undefined),
      checkDatabase(pool, stores.databaseUrl),
    ]);
    const isUp = (findings: readonly Finding[], check: string): boolean =>
      findings.some((finding) => finding.check === check && finding.status !== 'failure');
    const histories = isUp(log, 'event store')
      ? await attempt('history', 'Allow the user in EVENT_STORE_URL to read $all.', () => checkHistories(eventStore))
      : [];
    const keys = isUp(database, 'PostgreSQL')
      ? await attempt('key store', 'Allow the user in DATABASE_URL to read the schema key_store.', () =>
          checkKeyStore(pool, stores.masterKey),
        )
      : [];
    const both = isUp(database, 'PostgreSQL') && isUp(log, 'event store');
    const ofBoth = async (check: string, permission: string, work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> =>
      both ? await attempt(check, `Allow the user in DATABASE_URL to read ${permission}.`, work) : [];
    const readModels = await ofBoth('read models', 'the schemas ops and read', () => checkProjections(pool, eventStore));
    const unusable = await ofBoth('events', 'the schema ops', () => checkUnusableEvents(pool));
    const farmers = await ofBoth('data keys', 'the schemas key_store and read', () => checkFarmersKeys(pool, eventStore));
    const forged = await ofBoth('rows', 'the schema ops', () => checkForgedRows(pool));
    const lost = await ofBoth('lost events', 'the schemas key_store and ops', () => checkLostEvents(pool, eventStore, stores.masterKey));
    const checkpoints = isUp(log, 'event store')
      ? await attempt('checkpoints', 'Allow the user in EVENT_STORE_URL to read $all.', () =>
          checkCheckpoints(eventStore, settings.checkpointEverySeconds, Date.now),
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
      ...farmers,
      ...forged,
      ...lost,
      ...checkpoints,
    ];
  } finally {
    await close();
  }
}

/** Sends nothing through a pooler that shares sessions: the settings of each connection would reach other programs. */
async function checkDatabase(pool: Pool, databaseUrl: string): Promise<readonly Finding[]> {
  const unfit = await checkPooler(databaseUrl);
  return unfit.length > 0 ? unfit : await checkPostgres(pool, Date.now);
}

/** Appends the variables of the environment that change a connection to the finding that it fails. */
function withNote(findings: readonly Finding[], check: string, note: string): readonly Finding[] {
  return findings.map((finding) =>
    finding.check === check && finding.status === 'failure' ? { ...finding, found: `${finding.found}${note}` } : finding,
  );
}
