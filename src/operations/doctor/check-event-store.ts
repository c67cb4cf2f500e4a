import { AccessRejected, AppendsRefused, type EventStore, StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { attempt, clockFinding, failure, type Finding, ok } from './finding.js';
import { eventStoreSupport } from './support-dates.js';

/**
 * Checks that the event store answers and accepts appends from this user, without writing to the log. The check appends with an expected
 * revision that the stream cannot have: the store refuses it only after it has checked connection, permissions and cluster leadership.
 * @param now this host's clock, in ms since 1970
 * @param isEmbedded whether the store belongs to this service, and its version only says whose protocol it speaks
 */
export async function checkEventStore(eventStore: EventStore, now: () => number, isEmbedded: boolean): Promise<readonly Finding[]> {
  const reading = await attempt(
    'event store',
    'Start it, or correct EVENT_STORE_URL: host, port, tls=true or false, user and password.',
    async () => {
      const newest = await eventStore.newest();
      const version = await eventStore.serverVersion().catch(() => '');
      const log = newest ? `the newest event is at position ${newest.event.position}` : 'the log is empty';
      const found = ok('event store', `${version === '' ? 'answers' : `version ${version}`}; ${log}`);
      const support = isEmbedded ? [] : eventStoreSupport(version, now());
      return [found, ...support, ...(newest ? clockBehind(newest.recordedAt.getTime() - now()) : [])];
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

/** An event of the future shows that this host's clock is behind the store's. A past one shows nothing: the log may have been quiet. */
function clockBehind(aheadMs: number): readonly Finding[] {
  const found = `the newest event was recorded ${(aheadMs / 1_000).toFixed(3)} s later than this host’s clock says`;
  const finding = clockFinding('clock of the event store', found, aheadMs);
  return aheadMs > 0 && finding.status !== 'ok' ? [finding] : [];
}

async function appends(eventStore: EventStore): Promise<Finding> {
  const check = 'event store, appends';
  try {
    await eventStore.checkAppends();
  } catch (error) {
    // The sentence of a store that refuses appends says what to do, such as to free space on its disk.
    if (error instanceof AppendsRefused) return failure(check, error.message, 'Follow that sentence, then run rupa doctor again.');
    if (error instanceof AccessRejected) return failure(check, error.message, 'Then run rupa doctor again.');
    if (error instanceof StoreUnavailable)
      return failure(check, error.message, 'Check that its disk is not full and that its cluster has a leader.');
    throw error;
  }
  return ok(check, 'accepted (checked with an append that the store has to refuse; nothing was written)');
}
