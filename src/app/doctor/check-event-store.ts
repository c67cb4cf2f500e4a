import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { attempt, failure, type Finding, ok } from './finding.js';

/** A revision that no stream reaches, so that every store refuses an append that expects it. */
const IMPOSSIBLE_REVISION = 2n ** 40n;
const APPEND_MS_MAX = 10_000;

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
  const probe = {
    id: randomUUID(),
    type: 'Probe',
    data: {},
    metadata: { $correlationId: 'doctor', $causationId: 'doctor', schema_version: 1 },
  };
  const appending = eventStore.append('doctor', [probe], IMPOSSIBLE_REVISION);
  // An append without a response is rejected when the client closes; without this handler that would be an unhandled rejection.
  appending.catch(() => undefined);
  const response = await Promise.race([appending, delay(APPEND_MS_MAX, undefined, { ref: false })]);
  if (response === undefined)
    return failure(
      'event store, appends',
      `no response in ${APPEND_MS_MAX / 1_000} s`,
      'Check that its disk is not full and that its cluster has a leader.',
    );
  return ok('event store, appends', 'accepted (checked with an append that the store has to refuse; nothing was written)');
}
