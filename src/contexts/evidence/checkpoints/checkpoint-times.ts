import { type Pool } from 'pg';
import { firstDay } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { asRecorded } from '../../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type CheckpointTimes } from '../domain/due.js';
import { type CheckpointMade } from '../domain/events.js';
import { CHECKPOINTS_STREAM } from '../domain/make-checkpoint.js';

/** Reads the times from which it follows whether a checkpoint is due. */
export async function checkpointTimes(pool: Pool, eventStore: EventStore): Promise<CheckpointTimes> {
  const last = await eventStore.lastEvent(CHECKPOINTS_STREAM);
  if (last) return { last: asRecorded<CheckpointMade>(last).data.recorded_at, firstMovement: null };
  return { last: null, firstMovement: await firstDay(pool) };
}
