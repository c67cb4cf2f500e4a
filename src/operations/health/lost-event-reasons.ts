import { type Pool } from 'pg';
import { CheckpointLog } from '../../contexts/evidence/checkpoints/checkpoint-log.js';
import { KeptNote } from '../../contexts/evidence/checkpoints/kept-note.js';
import { knownLoss } from '../../contexts/evidence/tree/known-loss.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type MasterKeys } from '../../platform/key-store/master-keys.js';
import { Secrets } from '../../platform/key-store/secrets.js';

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
