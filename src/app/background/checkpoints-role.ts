import { checkpointOrigin } from '../../contexts/evidence/checkpoints/checkpoint-keys.js';
import { checkpointParts } from '../../contexts/evidence/checkpoints/checkpoint-parts.js';
import { keepCheckpoints } from '../../contexts/evidence/checkpoints/keep-checkpoints.js';
import { witnessesOf } from '../../contexts/evidence/witnesses/witness.js';
import { LOCKS } from '../../platform/database/instances/locks.js';
import { runAsLeader } from '../../platform/leader.js';
import { SystemClock } from '../../platform/system-clock.js';
import { type RoleParts } from './role-parts.js';

/** Starts keeping the tree of the log and signing the checkpoints that are due, which one instance does. */
export function startCheckpoints({ platform, databaseUrl, logger, signal, settings }: RoleParts): Promise<void> {
  const { publicUrl, checkpointEverySeconds: everySeconds } = settings;
  const options = { origin: checkpointOrigin(publicUrl), everySeconds, witnesses: witnessesOf(settings.witnesses) };
  const parts = checkpointParts(platform, new SystemClock(), options);
  const task = {
    name: 'tree of the log',
    lock: LOCKS.checkpoints,
    work: (until: AbortSignal) => keepCheckpoints(parts, everySeconds, logger, until),
    // A leader that hangs is found by the alert on an overdue checkpoint. Its connection ends with its process, and with it the lock.
    progress: () => Promise.resolve({ done: 0n, due: 0n }),
  };
  return runAsLeader(task, databaseUrl, logger, signal);
}
