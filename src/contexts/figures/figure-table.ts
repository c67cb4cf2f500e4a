import { type Pool } from 'pg';
import { deleteOldRows } from '../../platform/database/delete-old-rows.js';
import { COUNTED, type Counts, LEVELS, type Levels, NO_COUNTS, type RecordedStep } from './domain/figures.js';
import { type Batch } from './domain/pending-figures.js';

/** A statement that takes longer is given up: what it writes is written again by the next one. */
const QUERY_TIMEOUT_MS = 2_000;
/** Seconds for which a reading of the levels stands for all processes. */
const LEVELS_STAND_SECONDS = 12;
/** Seconds after which a reading says nothing about the present. */
const LEVELS_TRUE_SECONDS = 120;
/** Seconds without a word after which a process does not count as alive. It writes every five. */
const SILENT_AFTER_SECONDS = 20;
/** Seconds after which a silent process is not listed any more. */
const FORGOTTEN_AFTER_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** The longest period has thirty days before the step that is not over yet. */
const KEPT_SECONDS = 31 * DAY_SECONDS;

/** A thread of a process, which writes for itself. */
export interface Writer {
  /** A UUID that no other thread has. */
  readonly id: string;
  readonly roles: readonly string[];
  readonly host: string;
  readonly pid: number;
}

/** A row of ops.process: a thread that writes figures. */
interface ProcessRow {
  readonly process_id: string;
  readonly roles: readonly string[];
  readonly host: string;
  readonly pid: number;
  /** ISO 8601, like `seen_at`. */
  readonly begun_at: string;
  readonly seen_at: string;
  /** Number of the last batch that was added. */
  readonly batch: number;
}

/** A row of ops.figure: what was counted in a minute, and the highest levels in it. */
interface FigureRow {
  readonly minute: string;
  readonly lookups: number;
  readonly billed: number;
  readonly errors: number;
  readonly refunds: number;
  readonly delivered: number;
  readonly failed_deliveries: number;
  readonly levels_at: string | null;
  readonly lag_seconds: number | null;
  readonly lag_events: number | null;
  readonly open_charges: number | null;
  readonly oldest_charge_seconds: number | null;
  readonly deliveries_waiting: number | null;
  readonly failing_seconds: number | null;
}

type CountColumns = Pick<FigureRow, keyof Counts>;
type LevelColumns = Pick<FigureRow, keyof Levels>;

/** A thread that has written lately. */
export interface SeenProcess extends Omit<ProcessRow, 'process_id' | 'batch'> {
  readonly alive: boolean;
}

export interface NewestLevels extends Levels {
  /** When the newest were read, ISO 8601. */
  readonly at: string;
}

export interface Recorded {
  /** The database's time in ms since 1970. */
  readonly nowMs: number;
  /** Whether no process has read the levels lately. */
  readonly levelsDue: boolean;
}

// A batch is added if its writer's row takes its number. A row that has the number already means that the batch was added before.
const RECORD = `with own as (
    insert into ops.process as p (process_id, roles, host, pid, seen_at, batch) values ($1, $2, $3, $4, clock_timestamp(), $5)
    on conflict (process_id) do update set seen_at = clock_timestamp(), batch = excluded.batch where p.batch < excluded.batch
    returning 1
  ), counted as (
    insert into ops.figure as f (minute, ${COUNTED.join(', ')})
    select * from unnest($6::timestamptz[], ${COUNTED.map((_, index) => `$${index + 7}::bigint[]`).join(', ')}) as n (minute)
    where exists (select from own) order by minute
    on conflict (minute) do update set ${COUNTED.map((name) => `${name} = f.${name} + excluded.${name}`).join(', ')}
  )
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, not exists (
    select from ops.figure where minute >= date_trunc('minute', clock_timestamp()) - interval '1 minute'
      and levels_at > clock_timestamp() - interval '${LEVELS_STAND_SECONDS} seconds') as levels_due`;

const RECORD_LEVELS = `insert into ops.figure as f (minute, levels_at, ${LEVELS.join(', ')})
  values (date_trunc('minute', clock_timestamp()), clock_timestamp(), ${LEVELS.map((_, index) => `$${index + 1}`).join(', ')})
  on conflict (minute) do update set levels_at = excluded.levels_at, ${LEVELS.map((name) => `${name} = greatest(f.${name}, excluded.${name})`).join(', ')}`;

const STEPS = `select (extract(epoch from date_bin(make_interval(secs => $1), minute, '1970-01-01Z')) * 1000)::float8 as at_ms,
    ${COUNTED.map((name) => `sum(${name})::bigint as ${name}`).join(', ')}, ${LEVELS.map((name) => `max(${name}) as ${name}`).join(', ')}
  from ops.figure where minute >= to_timestamp($2) group by 1`;

const SUM = `select ${COUNTED.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', ')}
  from ops.figure where minute >= to_timestamp($1) and minute < to_timestamp($2)`;

const NEWEST_LEVELS = `select levels_at as at, ${LEVELS.join(', ')} from ops.figure
  where levels_at > clock_timestamp() - interval '${LEVELS_TRUE_SECONDS} seconds' order by minute desc limit 1`;

const PROCESSES = `select roles, host, pid, begun_at, seen_at, seen_at > clock_timestamp() - interval '${SILENT_AFTER_SECONDS} seconds' as alive
  from ops.process where seen_at > clock_timestamp() - interval '${FORGOTTEN_AFTER_SECONDS} seconds' order by alive desc, roles, host, begun_at`;

/** The figures of all processes, a row a minute, and the processes that write them. Every time is that of the database's clock. */
export class FigureTable {
  constructor(
    private readonly pool: Pool,
    private readonly queryTimeoutMs = QUERY_TIMEOUT_MS,
  ) {}

  /** Says that the process is alive, and adds a batch of its counts, once however often the batch is sent. @throws errors of the database */
  async record({ id, roles, host, pid }: Writer, { number, minutes }: Batch): Promise<Recorded> {
    const times = minutes.map(({ minuteMs }) => new Date(minuteMs).toISOString());
    const counts = COUNTED.map((name) => minutes.map((each) => each.counts[name]));
    const [row] = await this.rows<{ now_ms: number; levels_due: boolean }>(RECORD, [id, roles, host, pid, number, times, ...counts]);
    return { nowMs: row?.now_ms ?? NaN, levelsDue: row?.levels_due ?? false };
  }

  /** Records levels that were read just now. A minute keeps the highest of each. @throws errors of the database */
  async recordLevels(levels: Levels): Promise<void> {
    await this.rows(
      RECORD_LEVELS,
      LEVELS.map((name) => levels[name]),
    );
  }

  /** Removes the process, which stops. @throws errors of the database */
  async leave({ id }: Writer): Promise<void> {
    await this.rows('delete from ops.process where process_id = $1', [id]);
  }

  /** Deletes minutes before the longest period and processes that have been silent for an hour. @throws errors of the database */
  async prune(): Promise<void> {
    await deleteOldRows(this.pool, { table: 'ops.figure', column: 'minute', seconds: KEPT_SECONDS });
    await deleteOldRows(this.pool, { table: 'ops.process', column: 'seen_at', seconds: FORGOTTEN_AFTER_SECONDS });
  }

  /** Returns the steps that have a record since a moment, in any order. @throws errors of the database */
  async steps(stepMs: number, sinceMs: number): Promise<RecordedStep[]> {
    const rows = await this.rows<CountColumns & LevelColumns & { at_ms: number }>(STEPS, [stepMs / 1_000, sinceMs / 1_000]);
    return rows.map((row) => ({ atMs: row.at_ms, counts: pick(row, COUNTED), levels: pick(row, LEVELS) }));
  }

  /** Returns the sum of the minutes from one moment until before another. @throws errors of the database */
  async sum(fromMs: number, toMs: number): Promise<Counts> {
    const [row = NO_COUNTS] = await this.rows<CountColumns>(SUM, [fromMs / 1_000, toMs / 1_000]);
    return row;
  }

  /** Returns the highest levels of the newest minute; undefined if none was read within two minutes. @throws errors of the database */
  async newestLevels(): Promise<NewestLevels | undefined> {
    return (await this.rows<LevelColumns & Pick<NewestLevels, 'at'>>(NEWEST_LEVELS, []))[0];
  }

  /** @throws errors of the database */
  async processes(): Promise<SeenProcess[]> {
    return await this.rows<SeenProcess>(PROCESSES, []);
  }

  /** Returns the database's time in ms since 1970. @throws errors of the database */
  async nowMs(): Promise<number> {
    const [row] = await this.rows<{ now_ms: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms', []);
    return row?.now_ms ?? NaN;
  }

  private async rows<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    const query = { text, values: [...values], query_timeout: this.queryTimeoutMs };
    return (await this.pool.query<R>(query)).rows;
  }
}

function pick<R extends object, Name extends keyof R & string>(row: R, names: readonly Name[]): Pick<R, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<R, Name>;
}
