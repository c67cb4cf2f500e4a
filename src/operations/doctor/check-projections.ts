import { type Pool } from 'pg';
import { projections } from '../../../projections/index.js';
import { inTransaction } from '../../platform/database/pool.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { readCheckpoints } from '../../platform/projecting/checkpoints.js';
import { WEBHOOK_SUBSCRIBER } from '../../contexts/webhooks/notifying/notification-writer.js';
import { tablesOf } from '../../platform/projecting/projection.js';
import { areStatesCreated } from '../../platform/projecting/rebuilding/shadow.js';
import { refuseForeignLog } from '../../platform/projecting/logs/foreign-log.js';
import { projectionStates } from '../../contexts/rebuilding/projection-states.js';
import { type ProjectionState } from '../../contexts/rebuilding/projections.dto.js';
import { attempt, failure, type Finding, ok, reasonOf, warning } from './finding.js';

/** Number of events from which a lag is a warning. A healthy projector exceeds it only for moments. */
const LAG_WARNING = 1_000;
const CHECK_PROJECTOR = 'Check that a process with the role projector runs, and read its log.';

/** Checks that both stores belong together, and how far the read models and the webhook subscriber lag behind the log. */
export async function checkProjections(pool: Pool, eventStore: EventStore): Promise<readonly Finding[]> {
  if (!(await areStatesCreated(pool))) return [warning('read models', 'not created yet', 'The next start creates them.')];
  try {
    await refuseForeignLog(pool, eventStore);
  } catch (error) {
    return [failure('stores', reasonOf(error), 'Do what the message says before you start the service.')];
  }
  const found = await attempt('read models', CHECK_PROJECTOR, async () => {
    const states = await projectionStates({ pool, eventStore });
    if (states.length === 0) return warning('read models', 'not created yet', 'The next start creates them.');
    const missing = await withoutTable(pool);
    const missingTables =
      missing.length > 0
        ? [
            warning(
              'read models',
              `tables are missing, as after a restore: ${missing.join(', ')}`,
              'The next start of a projector builds them from the log.',
            ),
          ]
        : [];
    const bad = [...missingTables, ...states.map(ofState).filter(({ status }) => status !== 'ok')];
    return bad.length > 0 ? bad : ok('read models', `${states.length}, ${largestLag(states)}`);
  });
  return [
    ok('stores', 'the database belongs to this log'),
    ...found,
    ...(await attempt('webhooks', 'Check that a process with the role webhooks runs.', () => subscriber(pool, eventStore))),
  ];
}

function largestLag(states: readonly ProjectionState[]): string {
  const lag = Math.max(...states.map((state) => state.lag));
  return lag === 0 ? 'caught up with the log' : `at most ${lag} events behind the log`;
}

/** Returns the read models without a table. A backup contains their checkpoints but not their tables. */
async function withoutTable(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "select name from unnest($1::text[]) as name where to_regclass('read.' || name) is null",
    [tablesOf(projections).map(({ name }) => name)],
  );
  return rows.map(({ name }) => name);
}

function ofState({ name, version, lag, status, error }: ProjectionState): Finding {
  const check = `read model ${name}`;
  const known = projections.find((projection) => projection.name === name)?.version ?? version;
  if (status === 'faulted') return failure(check, error ?? 'faulted', `Fix the cause, then run: rupa projections retry ${name}`);
  if (version > known)
    return failure(
      check,
      `was built by a newer version of the service (${version}, and this one knows ${known})`,
      'Run that version, or let this one build its own: rupa projections rebuild --all',
    );
  if (version < known) return warning(check, 'was built by an older version of the service', 'The next start of a projector rebuilds it.');
  return lag >= LAG_WARNING ? warning(check, `${lag} or more events behind`, CHECK_PROJECTOR) : ok(check, `${lag} events behind`);
}

async function subscriber(pool: Pool, eventStore: EventStore): Promise<Finding> {
  const position = (await inTransaction(pool, readCheckpoints)).get(WEBHOOK_SUBSCRIBER)?.position;
  const lag = await eventStore.countAfter(position == null ? undefined : BigInt(position), LAG_WARNING);
  return lag >= LAG_WARNING
    ? warning(
        'webhooks',
        `the subscriber is ${lag} or more events behind`,
        'Check that a process with the role webhooks runs, and read its log.',
      )
    : ok('webhooks', `the subscriber is ${lag} events behind`);
}
