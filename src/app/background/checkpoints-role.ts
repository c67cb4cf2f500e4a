import { setTimeout as delay } from 'node:timers/promises';
import { checkpointOrigin } from '../../contexts/evidence/checkpoints/checkpoint-keys.js';
import { type CheckpointMaker } from '../../contexts/evidence/checkpoints/checkpoint-maker.js';
import { checkpointParts } from '../../contexts/evidence/checkpoints/checkpoint-parts.js';
import { LOCKS } from '../../platform/database/instances/locks.js';
import { HistoryMissing } from '../../platform/event-sourcing/event-store.js';
import { storeOutage } from '../../platform/store-outages.js';
import { SystemClock } from '../../platform/system-clock.js';
import { runAsLeader } from './leader.js';
import { type RoleParts } from './role-parts.js';

const POLL_MS = 60_000;
const ACTOR = 'service';

/** Starts making the daily checkpoint, which the leader does when one is due. */
export function startCheckpoints(role: RoleParts): Promise<void> {
  const { databaseUrl, logger, signal } = role;
  const { maker } = checkpointParts(role.platform, new SystemClock(), { origin: checkpointOrigin(role.settings.publicUrl) });
  const task = {
    name: 'daily checkpoint',
    lock: LOCKS.checkpoints,
    work: async (until: AbortSignal) => {
      const stopping = (): boolean => until.aborted;
      while (!stopping()) {
        await makeIfDue(maker, logger);
        await delay(POLL_MS, undefined, { signal: until }).catch(() => undefined);
      }
    },
    // A leader that hangs is found by the alert on an overdue checkpoint. Its connection ends with its process, and with it the lock.
    progress: () => Promise.resolve({ done: 0n, due: 0n }),
  };
  return runAsLeader(task, databaseUrl, logger, signal);
}

/** Logs why a checkpoint cannot be made, and leaves the next attempt to the next poll. @throws errors of a store that does not respond */
async function makeIfDue(maker: CheckpointMaker, logger: RoleParts['logger']): Promise<void> {
  try {
    const made = await maker.makeIfDue(ACTOR);
    if (made) logger.info({ number: made.number, tree_size: made.tree_size }, 'made the daily checkpoint');
  } catch (error) {
    if (storeOutage(error) !== undefined && !(error instanceof HistoryMissing)) throw error;
    logger.error({ err: error }, 'the daily checkpoint cannot be made; the next attempt is in a minute');
  }
}
