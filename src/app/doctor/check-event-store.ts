import { AppendsRefused, type EventStore, StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { attempt, failure, type Finding, ok } from './finding.js';

/**
 * Checks that the event store answers and accepts appends from this user, without writing to the log. The check appends with an expected
 * revision that the stream cannot have: the store refuses it only after it has checked connection, permissions and cluster leadership.
 */
export async function checkEventStore(eventStore: EventStore): Promise<readonly Finding[]> {
  const reading = await attempt(
    'event store',
    'Start it, or correct EVENT_STORE_URL: host, port, tls=true or false, user and password.',
    async () => {
      const newest = await eventStore.newestEvent();
      const version = await eventStore.serverVersion().catch(() => '');
      const log = newest ? `the newest event is at position ${newest.position}` : 'the log is empty';
      return ok('event store', `${version === '' ? 'answers' : `version ${version}`}; ${log}`);
    },
  );
  if (reading.some(({ status }) => status === 'failure')) return reading;
  return [
    ...reading,
    ...(await attempt(
      'event store, appends',
      'Set EVENT_STORE_URL to a user with write permission, and to a node that is not a read-only replica.',
      () => appends(eventStore),
    )),
  ];
}

async function appends(eventStore: EventStore): Promise<Finding> {
  const check = 'event store, appends';
  try {
    await eventStore.checkAppends();
  } catch (error) {
    // The sentence of a store that refuses appends says what to do, such as to free space on its disk.
    if (error instanceof AppendsRefused) return failure(check, error.message, 'Follow that sentence, then run rupa doctor again.');
    if (error instanceof StoreUnavailable)
      return failure(check, error.message, 'Check that its disk is not full and that its cluster has a leader.');
    throw error;
  }
  return ok(check, 'accepted (checked with an append that the store has to refuse; nothing was written)');
}
