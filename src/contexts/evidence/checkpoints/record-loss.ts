import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { SystemClock } from '../../../platform/system-clock.js';
import { type AdoptLog, LOG_ID, LOG_STREAMS, nextOrigin } from '../domain/log-adoption.js';
import { checkpointParts, type CheckpointStores } from './checkpoint-parts.js';
import { findLoss, type Loss } from './find-loss.js';

/**
 * Returns the newest known checkpoint that the log does not extend, after it has read the log; undefined if the log extends all.
 * @param note a note that was kept outside of the service
 * @throws Error if that note is no checkpoint of this service
 */
export async function lossIn(stores: CheckpointStores, note?: string): Promise<Loss | undefined> {
  // Nothing is signed here, so the origin of a first key does not matter.
  const { log, keys, kept } = checkpointParts(stores, new SystemClock(), { origin: '', everySeconds: 0, witnesses: [] });
  return await findLoss({ ...stores, log, keys, kept }, note);
}

/** Begins a new log in place of the one that lost events. Its key is issued with its first checkpoint. Returns the new origin. */
export async function adoptAfter(
  { note, verifier_key, lost_events }: Loss,
  { eventStore, codec }: Pick<CheckpointStores, 'eventStore' | 'codec'>,
  by: Pick<AdoptLog, 'reason' | 'actor'>,
): Promise<string> {
  const origin = nextOrigin(note.origin);
  await new StreamWriter(eventStore, codec, LOG_STREAMS).execute(LOG_ID, {
    origin,
    former_note: note.note,
    former_key: verifier_key,
    lost_events,
    at: new Date().toISOString(),
    ...by,
  });
  return origin;
}
