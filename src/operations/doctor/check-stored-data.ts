import { checkpointTimes } from '../../contexts/evidence/checkpoints/checkpoint-log.js';
import { secondsOverdue } from '../../contexts/evidence/domain/due.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type Finding, ok, warning, failure } from './finding.js';
import { findMissingHistories } from '../../platform/event-sourcing/reading/history-watch.js';
import { CATEGORIES } from '../../stores/event-streams.js';
import { type Pool } from 'pg';
import { areFarmersCreated, unmatchedFarmers } from '../../../projections/erased-farmer/erased-farmer.reader.js';
import { remedyOf } from '../../platform/event-sourcing/coding/unusable-event.js';
import { CiphertextUnusable } from '../../platform/key-store/encryption.js';
import { MasterKeys } from '../../platform/key-store/master-keys.js';
import { lostEventReasons } from '../health/readiness-reasons.js';
import { isCreated as hasUnusableEvents, unusableEvents } from '../../platform/unusable-events/unusable-table.js';
import { type ForgedRow, forgedRows, isCreated as hasForgedRows } from '../../platform/projecting/forged-rows.js';
import { masterKeysInUse, type UsedMasterKey } from '../../platform/key-store/check-master-keys.js';
import { farmerStreamOf } from '../../contexts/farmers/domain/events.js';

/** Streams, events and rows that are named one by one. More of them have the same cause. */
const MAX_NAMED = 20;
/** Long enough to search some million events. */
const SEARCH_MS = 20_000;
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

/** Looks for streams of which events are hidden or gone, among those that have metadata or were ended for good. */
export async function checkHistories(eventStore: EventStore): Promise<readonly Finding[]> {
  const { missing, isComplete } = await findMissingHistories(eventStore, CATEGORIES, SEARCH_MS);
  const todo = 'Get it back as docs/operations.md says under "Missing history". Calls that need the stream get 503 until then.';
  const named = missing.slice(0, MAX_NAMED).map((each) => failure('history', each.message, todo));
  const more = missing.length - named.length;
  const rest =
    more > 0 ? [failure('history', `The history of ${more} more streams is missing.`, 'Run rupa events check, which names them all.')] : [];
  if (!isComplete)
    rest.push(warning('history', 'not all of the log was searched, because it is long', 'Run rupa events check, which reads all of it.'));
  return missing.length + rest.length === 0 ? [ok('history', 'no stream hides events')] : [...named, ...rest];
}

/** Checks that the log has the events that its newest known checkpoint covers. */
export async function checkLostEvents(pool: Pool, eventStore: EventStore, masterKey: string): Promise<readonly Finding[]> {
  if (!(await hasKeyStore(pool))) return [];
  let reasons: readonly string[];
  try {
    reasons = await lostEventReasons(pool, eventStore, () => MasterKeys.parse(masterKey))();
  } catch (error) {
    if (!(error instanceof CiphertextUnusable)) throw error;
    return [
      failure(
        'lost events',
        `the newest checkpoint in the key store cannot be decrypted: ${error.message}`,
        'Put back the master key that the key store was encrypted with, or restore the key store.',
      ),
    ];
  }
  return reasons.map((reason) =>
    failure('lost events', reason, 'Follow docs/operations.md, "Events that were lost". rupa events adopt says what was lost.'),
  );
}

/** Names the events that the projector set aside because they cannot be used (docs/adr/0030). */
export async function checkUnusableEvents(pool: Pool): Promise<readonly Finding[]> {
  const found = (await hasUnusableEvents(pool)) ? await unusableEvents(pool) : [];
  if (found.length === 0) return [ok('events', 'none is set aside')];
  const named = found
    .slice(0, MAX_NAMED)
    .map(({ event_id, position, stream, revision, type, reason }) =>
      failure(
        'events',
        `the event ${event_id} (type ${type}, ${stream} at revision ${revision}, position ${position}) cannot be used, because ${reason}`,
        remedyOf({ reason, position }),
      ),
    );
  const others = found.length - named.length;
  return others === 0 ? named : [...named, failure('events', `${others} more events cannot be used`, 'Run: rupa projections status')];
}

/** Names the rows that decide and that the projector did not write, as far as readers and sweeps have noticed them (docs/adr/0042). */
export async function checkForgedRows(pool: Pool): Promise<readonly Finding[]> {
  const found = (await hasForgedRows(pool)) ? await forgedRows(pool, MAX_NAMED + 1) : [];
  if (found.length === 0) return [ok('rows', 'every row that was read to decide was written by the projector')];
  const named = found
    .slice(0, MAX_NAMED)
    .map(({ table_name, row_key, noticed_at, difference }) =>
      failure(
        'rows',
        `the row ${row_key} of ${table_name} ${difference === null ? FORGED : DIFFERS[difference]} (noticed at ${noticed_at})`,
        `Find out who writes to the database. ${endOf(table_name, difference)}`,
      ),
    );
  const others = found.length > MAX_NAMED ? [failure('rows', 'there are more', 'Run: rupa projections verify --all')] : [];
  return [...named, ...others];
}

const FORGED = 'cannot be trusted: somebody edited or deleted it, or put an older one back';
const DIFFERS = {
  missing: 'is missing: somebody deleted it',
  unexpected: 'is not in the log: somebody added it or put it back',
  different: 'is not that of the log: somebody put an older one back',
} satisfies Record<NonNullable<ForgedRow['difference']>, string>;

/** Says for each operational table what follows from a row that cannot be trusted. All other rows are those of read models. */
const OPERATIONAL: ReadonlyMap<string, string> = new Map([
  ['stored_response', 'Calls with its Idempotency-Key get a 503 until 24 hours after the first one. Nothing is charged by them.'],
  ['console_session', 'Nobody is signed in by it.'],
  [
    'webhook_delivery',
    'It is not sent, and calls that need it get a 503. If its event is in the list of events, run: rupa webhooks recover. Otherwise delete the row.',
  ],
  [
    'deactivated_key',
    'Calls with the key get a 503. If the key is to stay deactivated, run: rupa keys revoke <key>, which writes the row again. Otherwise delete the row.',
  ],
  ['api_key_end', 'Calls with the key get a 503 until you delete the row. The read model has the end of the key, if it ends.'],
  [
    'notification_recipient',
    'Its partner is told of no erasure by it, and calls of the partner that need it get a 503, until you restore the row from a backup or delete it.',
  ],
  [
    'notified_event',
    'This row or the checkpoint of the webhook subscriber was edited. The subscriber went on after the event that it processed last, or after the newest event of the list: nothing else is to be done.',
  ],
  ['notification', 'It is not listed, and calls that need it get a 503, until you restore the row from a backup or delete it.'],
]);

/** How calls use the right row again. */
function endOf(table: string, difference: ForgedRow['difference']): string {
  if (difference !== null) return `The table differs from the log until you run: rupa projections rebuild ${table}`;
  return (
    OPERATIONAL.get(table) ??
    `Calls that need the row, or one that is made from it, get a 503 until you run: rupa projections rebuild ${table}`
  );
}

/** Checks that MASTER_KEY holds every master key that the key store uses, and that each decrypts data keys and secrets. */
export async function checkKeyStore(pool: Pool, masterKey: string): Promise<readonly Finding[]> {
  if (!(await hasKeyStore(pool))) return [ok('key store', 'not created yet')];
  const used = await masterKeysInUse(pool, MasterKeys.parse(masterKey));
  return used.length === 0 ? [ok('key store', 'empty')] : used.map(findingOf);
}

/**
 * Names farmers whose data keys do not fit the log, because the key store or the log was restored to an earlier state, or somebody edited the
 * key store.
 */
export async function checkFarmersKeys(pool: Pool, eventStore: EventStore): Promise<readonly Finding[]> {
  if (!(await hasKeyStore(pool)) || !(await areFarmersCreated(pool))) return [];
  const { unerased, keyless } = await unmatchedFarmers(pool, MAX_NAMED);
  const lost: string[] = [];
  // The read model may not show an erasure yet that the log has.
  for (const rupaId of unerased) if ((await eventStore.lastEvent(farmerStreamOf(rupaId)))?.type !== 'FarmerErased') lost.push(rupaId);
  const found = [
    ...lost.map((rupaId) =>
      failure('erasures', `the data key of ${rupaId} is destroyed, but the log lacks an erasure of the farmer`, unerasedEnd(rupaId)),
    ),
    ...keyless.map((rupaId) =>
      failure(
        'data keys',
        `the key store lacks the data key of ${rupaId}`,
        'Restore a newer key store with the service stopped, and start the service.',
      ),
    ),
  ];
  return found.length === 0 ? [ok('data keys', 'every farmer has one, or was erased')] : found;
}

/** Only a person can tell the two causes apart, and an erasure is for good. */
function unerasedEnd(rupaId: string): string {
  return (
    `If a restore lost the erasure, run: rupa farmers erase ${rupaId}. If nobody erased the farmer, find out who writes to the database, ` +
    'and restore this row of key_store.data_key from a backup before you rebuild any read model.'
  );
}

async function hasKeyStore(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ created: boolean }>("select to_regclass('key_store.secret') is not null as created");
  return rows[0]?.created === true;
}

function findingOf({ id, count, state, unreadable }: UsedMasterKey): Finding {
  const check = `master key ${id}`;
  switch (state) {
    case 'missing':
      return failure(
        check,
        `is not in MASTER_KEY, but ${count} keys and secrets are encrypted with it`,
        `Add it after the current key: MASTER_KEY=…,${id}:<base64>. Without it they cannot be decrypted.`,
      );
    case 'different':
      return failure(
        check,
        `does not decrypt the ${count} keys and secrets that are encrypted with it`,
        `The key ${id} in MASTER_KEY is not the one that the key store was encrypted with. Put that key back, or restore the key store that belongs to this one.`,
      );
    case 'usable':
      return unreadable.length === 0
        ? ok(check, `decrypts what is encrypted with it: ${count} keys and secrets`)
        : failure(
            check,
            `does not decrypt ${unreadable.join(' and ')}`,
            'The key is right, because it decrypts others. Restore these rows of the schema key_store from a backup.',
          );
  }
}
