import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { attempt, failure, type Finding, ok } from './finding.js';

/** Further than any stream will ever be: an append there is refused by every store that takes appends. */
const BEYOND_ALL = 2n ** 40n;
const APPEND_MS_MAX = 10_000;

/**
 * Whether it answers and takes appends from this user. Nothing is written: the log is what happened, and a trial did not. An append at a
 * revision that its stream cannot have goes all the way to where the store compares revisions, beyond connection, rights and leadership.
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
      'Give EVENT_STORE_URL a user who may write, and the address of a node that is no read-only replica.',
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
  const appending = eventStore.append('doctor', [probe], BEYOND_ALL);
  // One that is never answered ends when the store is closed.
  appending.catch(() => undefined);
  const answered = await Promise.race([appending, delay(APPEND_MS_MAX, undefined, { ref: false })]);
  if (answered === undefined)
    return failure(
      'event store, appends',
      `no answer in ${APPEND_MS_MAX / 1_000} s`,
      'See whether its disk is full and its cluster has a leader.',
    );
  return ok('event store, appends', 'takes them (tried with one that must be refused; nothing was written)');
}
