import { type ClientBase, type Pool } from 'pg';
import { isStorableText } from '../../../kernel/storable.js';
import { inTransaction } from '../../../platform/database/pool.js';
import { type EventStore, HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type Checkpoint, moveCheckpoints, takeFences } from '../../../platform/projecting/checkpoints.js';
import { findEvent } from '../../../platform/projecting/logs/foreign-log.js';
import { type RowMacs } from '../../../platform/projecting/row-macs.js';
import { type NotificationRow } from './notification-columns.js';
import { noteNotified, notificationTable, type NotifiedRow, notifiedTable } from './signed-rows.js';

// The event that the webhook subscriber processed last. Somebody who moves its checkpoint would keep partners from being told of the events
// between, or have them told again (docs/adr/0068).

const READ = 'select * from ops.notified_event where subscriber = $1';
/** The newest events of the list by which the place of the subscriber can be found: the id of some is not that of their event. */
const NEWEST = 'select * from ops.notification where position is not null order by sequence desc limit 100';

/** Notes the event, in the transaction that moves the checkpoint to it. */
export async function noteProcessed(client: ClientBase | Pool, macs: RowMacs, subscriber: string, event: StoredEvent): Promise<void> {
  const stream = isStorableText(event.stream) ? event.stream : '';
  await noteNotified(client, macs, { subscriber, event_id: event.id, stream, revision: Number(event.revision) });
}

/**
 * Returns the subscriber's checkpoint at the event that it processed last, and moves it there if somebody has moved it. If that event cannot
 * be told, because somebody edited or deleted its row, the checkpoint is at the newest listed event: nothing after it was listed or delivered.
 * Without one of those, it stays.
 */
export async function processedUpTo(pool: Pool, eventStore: EventStore, macs: RowMacs, checkpoint: Checkpoint): Promise<Checkpoint> {
  const { projection, position } = checkpoint;
  const [row] = (await pool.query<NotifiedRow>(READ, [projection])).rows;
  if (!row && position === null) return checkpoint;
  const isGenuine = row !== undefined && macs.holds(notifiedTable, row);
  if (!row) macs.noteRow(notifiedTable.meta.tableName, [projection]);
  const event = isGenuine ? await eventOf(eventStore, row) : await newestListed(pool, eventStore, macs);
  if (!event || event.position.toString() === position) return checkpoint;
  if (isGenuine) macs.note(notifiedTable, row);
  await inTransaction(pool, async (client) => {
    await takeFences(client, [checkpoint]);
    await moveCheckpoints(client, [projection], event.position, event);
    await noteProcessed(client, macs, projection, event);
  });
  return { ...checkpoint, position: event.position.toString() };
}

/** Returns undefined if the log does not hold the event: it was restored to an earlier state and adopted, or its stream is hidden. */
async function eventOf(eventStore: EventStore, { event_id: id, stream, revision }: NotifiedRow): Promise<StoredEvent | undefined> {
  if (stream === '') return undefined;
  return await findEvent(eventStore, { id, stream, revision }).catch((error: unknown) => {
    if (error instanceof HistoryMissing) return undefined;
    throw error;
  });
}

async function newestListed(pool: Pool, eventStore: EventStore, macs: RowMacs): Promise<StoredEvent | undefined> {
  for (const row of (await pool.query<NotificationRow>(NEWEST)).rows) {
    if (row.position === null || !macs.holds(notificationTable, row)) continue;
    const event = await eventStore.eventAt(BigInt(row.position));
    // The position is not covered by the MAC, but the id is.
    if (event?.id === row.event_id) return event;
  }
  return undefined;
}
