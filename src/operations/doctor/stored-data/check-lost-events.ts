import { type Pool } from 'pg';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { MasterKeys } from '../../../platform/key-store/master-keys.js';
import { lostEventReasons } from '../../health/lost-event-reasons.js';
import { failure, type Finding } from '../finding.js';

const CREATED = "select to_regclass('key_store.secret') is not null as created";

/** Checks that the log has the events that its newest known checkpoint covers. */
export async function checkLostEvents(pool: Pool, eventStore: EventStore, masterKey: string): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ created: boolean }>(CREATED);
  if (!rows[0]?.created) return [];
  const reasons = await lostEventReasons(pool, eventStore, () => MasterKeys.parse(masterKey))();
  return reasons.map((reason) =>
    failure('lost events', reason, 'Follow docs/operations.md, "Events that were lost". rupa events adopt says what was lost.'),
  );
}
