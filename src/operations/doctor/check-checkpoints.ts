import { type Pool } from 'pg';
import { isCreated } from '../../../projections/ledger-day/ledger-day.reader.js';
import { checkpointTimes } from '../../contexts/evidence/checkpoints/checkpoint-log.js';
import { secondsOverdue } from '../../contexts/evidence/domain/due.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type Finding, ok, warning } from './finding.js';

/** A checkpoint is made within a minute. After a start, the read models may have to catch up first. */
const LATE_SECONDS = 3_600;

/** Checks that the daily checkpoint of all wallets is made. @param now this host's clock, in ms since 1970 */
export async function checkCheckpoints(pool: Pool, eventStore: EventStore, now: () => number): Promise<Finding> {
  if (!(await isCreated(pool))) return ok('checkpoints', 'not examined, because the read models are not created yet');
  const times = await checkpointTimes(pool, eventStore);
  const overdue = secondsOverdue(times, new Date(now()));
  if (overdue > LATE_SECONDS) {
    return warning(
      'checkpoints',
      `the daily one has been due for ${Math.floor(overdue / 3_600)} hours`,
      'Check that a process with the role projector runs. If it does, run rupa ledger checkpoint, which says why none can be made.',
    );
  }
  return ok('checkpoints', times.last === null ? 'none made yet, and none due' : `the last one was made at ${times.last}`);
}
