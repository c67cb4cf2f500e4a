import { type Pool } from 'pg';
import { projections } from '../../../projections/index.js';
import { inTransaction } from '../../platform/database/pool.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { readCheckpoints } from '../../platform/projecting/checkpoints.js';
import { WEBHOOK_SUBSCRIBER } from '../../contexts/webhooks/notification-subscriber.js';
import { refuseForeignLog } from '../../platform/projecting/foreign-log.js';
import { GetProjections, GetProjectionsHandler } from '../../contexts/read-models/get-projections.query.js';
import { type ProjectionState } from '../../contexts/read-models/projections.dto.js';
import { attempt, failure, type Finding, ok, reasonOf, warning } from './finding.js';

/** A projector that works is behind by less, but for moments. */
const LAG_WARNING = 1_000;
const LOOK_AT_PROJECTOR = 'See whether a process with the role projector runs, and what it logs.';

/** Whether both stores belong together, and how far the database is behind the log. */
export async function checkProjections(pool: Pool, eventStore: EventStore): Promise<readonly Finding[]> {
  const {
    rows: [there],
  } = await pool.query<{ there: boolean }>(
    "select to_regclass('ops.rebuild') is not null and exists (select from information_schema.columns where table_schema = 'ops' and table_name = 'checkpoint' and column_name = 'event') as there",
  );
  if (!there?.there) return [warning('read models', 'not made yet', 'The next start makes them.')];
  try {
    await refuseForeignLog(pool, eventStore);
  } catch (error) {
    return [failure('stores', reasonOf(error), 'Do what it says before anything is started.')];
  }
  const found = await attempt('read models', LOOK_AT_PROJECTOR, async () => {
    const states = await new GetProjectionsHandler(pool, eventStore).execute(new GetProjections());
    if (states.length === 0) return warning('read models', 'not made yet', 'The next start makes them.');
    const missing = await withoutTable(pool);
    const absent =
      missing.length > 0
        ? [
            warning(
              'read models',
              `without tables, as after a restore: ${missing.join(', ')}`,
              'The next start of a projector builds them from the log.',
            ),
          ]
        : [];
    const bad = [...absent, ...states.map(ofState).filter(({ status }) => status !== 'ok')];
    return bad.length > 0 ? bad : ok('read models', `${states.length}, ${level(states)}`);
  });
  return [
    ok('stores', 'the database belongs to this log'),
    ...found,
    ...(await attempt('webhooks', 'See whether a process with the role webhooks runs.', () => subscriber(pool, eventStore))),
  ];
}

function level(states: readonly ProjectionState[]): string {
  const lag = Math.max(...states.map((state) => state.lag));
  return lag === 0 ? 'level with the log' : `${lag} events behind the log at most`;
}

/** A backup leaves them out, and their checkpoints not. */
async function withoutTable(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "select name from unnest($1::text[]) as name where to_regclass('read.' || name) is null",
    [projections.map(({ name }) => name)],
  );
  return rows.map(({ name }) => name);
}

function ofState({ name, version, lag, status, error }: ProjectionState): Finding {
  const check = `read model ${name}`;
  const known = projections.find((projection) => projection.name === name)?.version ?? version;
  if (status === 'faulted') return failure(check, error ?? 'faulted', `rupa projections retry ${name}, after the fix`);
  if (version > known)
    return failure(
      check,
      `was built by a newer version of the service (${version}, and this one knows ${known})`,
      'Run that version, or let this one build its own: rupa projections rebuild --all',
    );
  if (version < known) return warning(check, 'is to be built anew', 'The next start of a projector does it.');
  return lag >= LAG_WARNING ? warning(check, `${lag} or more events behind`, LOOK_AT_PROJECTOR) : ok(check, `${lag} events behind`);
}

async function subscriber(pool: Pool, eventStore: EventStore): Promise<Finding> {
  const position = (await inTransaction(pool, readCheckpoints)).get(WEBHOOK_SUBSCRIBER)?.position;
  const lag = await eventStore.countAfter(position == null ? undefined : BigInt(position), LAG_WARNING);
  return lag >= LAG_WARNING
    ? warning(
        'webhooks',
        `the subscriber is ${lag} or more events behind`,
        'See whether a process with the role webhooks runs, and what it logs.',
      )
    : ok('webhooks', `the subscriber is ${lag} events behind`);
}
