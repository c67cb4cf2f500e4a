import { createPool } from '../../platform/database/pool.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { type Settings } from '../settings.js';
import { type StoreAddresses } from '../stores.js';
import { checkEventStore } from './check-event-store.js';
import { checkKeyStore } from './check-key-store.js';
import { checkPostgres } from './check-postgres.js';
import { checkProjections } from './check-projections.js';
import { checkNode, checkProduction } from './check-host.js';
import { attempt, type Finding } from './finding.js';

/** Nothing is waited for longer, so that a store that hangs is told soon. */
const STALL_TIMEOUT_MS = 3_000;
const POOL_SIZE = 2;

/** What can be told of settings and stores; where a store does not answer, what needs it is left out. Changes nothing. */
export async function examine(
  settings: Settings,
  { eventStoreUrl, databaseUrl, masterKey }: StoreAddresses,
  now: () => number = Date.now,
): Promise<readonly Finding[]> {
  const pool = createPool(databaseUrl, POOL_SIZE, () => undefined);
  const eventStore = new EventStore(eventStoreUrl, { stallTimeoutMs: STALL_TIMEOUT_MS });
  try {
    const [log, database] = await Promise.all([checkEventStore(eventStore), checkPostgres(pool, now)]);
    const answers = (findings: readonly Finding[], check: string): boolean =>
      findings.some((finding) => finding.check === check && finding.status !== 'failure');
    const keys = answers(database, 'PostgreSQL')
      ? await attempt('key store', 'Let DATABASE_URL’s user read the schema key_store.', () => checkKeyStore(pool, masterKey))
      : [];
    const both = answers(database, 'PostgreSQL') && answers(log, 'event store');
    const levels = both
      ? await attempt('read models', 'Let DATABASE_URL’s user read the schemas ops and read.', () => checkProjections(pool, eventStore))
      : [];
    return [checkNode(), ...checkProduction(settings), ...log, ...database, ...keys, ...levels];
  } finally {
    await eventStore.close();
    await pool.end();
  }
}
