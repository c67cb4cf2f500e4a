import { checkpointTimes } from '../../../contexts/evidence/checkpoints/checkpoint-log.js';
import { secondsOverdue } from '../../../contexts/evidence/domain/due.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type Finding, ok, warning } from '../finding.js';

/** A checkpoint is signed within seconds. After a start, the process that signs it first reads the whole log. */
const LATE_SECONDS = 1_800;

/** Checks that the checkpoints of the log are signed. @param now this host's clock, in ms since 1970 */
export async function checkCheckpoints(eventStore: EventStore, everySeconds: number, now: () => number): Promise<Finding> {
  const times = await checkpointTimes(eventStore);
  const overdue = secondsOverdue(times, everySeconds, new Date(now()));
  if (overdue > LATE_SECONDS) {
    return warning(
      'checkpoints',
      `one has been due for ${Math.floor(overdue / 60)} minutes`,
      'Check that a process with the role projector runs. If it does, run rupa ledger checkpoint, which says why none can be made.',
    );
  }
  return ok('checkpoints', times.last === null ? 'none made yet, and none due' : `the last one was made at ${times.last}`);
}
