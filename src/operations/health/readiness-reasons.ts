import { type Pool } from 'pg';
import { CheckpointLog } from '../../contexts/evidence/checkpoints/checkpoint-log.js';
import { KeptNote } from '../../contexts/evidence/checkpoints/kept-note.js';
import { knownLoss } from '../../contexts/evidence/tree/known-loss.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type MasterKeys } from '../../platform/key-store/master-keys.js';
import { Secrets } from '../../platform/key-store/secrets.js';
import { forgedByTable } from '../../platform/projecting/forged-rows.js';
import { firstUnusable } from '../../platform/unusable-events/unusable-table.js';

/** Returns a sentence if the log lacks events that a checkpoint covers, so that no further checkpoint is signed (docs/adr/0046). */
export type LostEventReasons = (this: void) => Promise<string[]>;

/** @param masterKeys is called at each use, because a start may create them */
export function lostEventReasons(pool: Pool, eventStore: EventStore, masterKeys: () => MasterKeys): LostEventReasons {
  const log = new CheckpointLog(eventStore);
  return async () => {
    const lost = await knownLoss(pool, log, new KeptNote(new Secrets(pool, masterKeys())));
    return lost
      ? [
          `The log lacks events that checkpoint ${lost.number} (of ${lost.tree_size} events) covers, or has others in their place, so no checkpoint is signed. Restore the log, or say whose loss it was: rupa events adopt.`,
        ]
      : [];
  };
}

/** Events that are named one by one. */
const MAX_NAMED = 10;

/**
 * Returns a sentence for each event that was set aside because it cannot be used (docs/adr/0030). It names category and position only: the
 * name of a stream may be a Rupa ID. The process is ready all the same, because only calls that need these streams are refused.
 */
export async function setAsideReasons(pool: Pool): Promise<string[]> {
  const rows = await firstUnusable(pool, MAX_NAMED + 1);
  const named = rows
    .slice(0, MAX_NAMED)
    .map(
      ({ category, position }) => `The event at position ${position} of the log (category ${category}) cannot be used and is set aside.`,
    );
  return rows.length > MAX_NAMED ? [...named, 'There are more: see rupa projections status.'] : named;
}

/** Returns a sentence for each table of which rows were edited, deleted or put back (evidence, "Where a table decides"). */
export async function forgedRowReasons(pool: Pool): Promise<string[]> {
  return (await forgedByTable(pool)).map(
    ({ table_name, rows }) =>
      `${rows} ${rows === 1 ? 'row' : 'rows'} of ${table_name} cannot be trusted or ${rows === 1 ? 'is' : 'are'} missing: run rupa doctor.`,
  );
}
