import { type Pool } from 'pg';
import { storableText } from '../../platform/database/postgres-text.js';
import { type JobProgress } from './job-progress.js';
import { type DifferingRow, type JobAction, type ProjectionJob } from './projections.dto.js';

/** Seconds after which a job counts as failed, unless the process that runs it renews its lease. */
export const LEASE_SECONDS = 30;

const PROCESS_DIED = 'The process that ran the job has ended or hangs. Nothing is half swapped. Start the job again.';
const ENDED_WITHOUT_WORD = "state = 'running' and leased_until < now()";
const SHOWN = `job_id, projection, action, done, total, rate, differences, differing_rows,
  case when ${ENDED_WITHOUT_WORD} then 'failed' else state end as state,
  case when ${ENDED_WITHOUT_WORD} then null else seconds_left end as seconds_left,
  case when ${ENDED_WITHOUT_WORD} then '${PROCESS_DIED}' else error end as error`;
/** Attempts to queue a job. One fails only if the job that was in the way has ended in between. */
const ATTEMPTS = 5;

/** A row of ops.projection_job: a job, with the lease of the process that runs it. */
interface JobRow {
  readonly job_id: number;
  readonly projection: string;
  readonly action: JobAction;
  readonly state: ProjectionJob['state'];
  readonly holder: string | null;
  readonly leased_until: string | null;
  readonly done: number;
  readonly total: number | null;
  readonly rate: number;
  readonly seconds_left: number | null;
  readonly differences: number | null;
  readonly differing_rows: readonly DifferingRow[] | null;
  readonly error: string | null;
  readonly queued_at: string;
}

type ShownJob = Pick<JobRow, keyof ProjectionJob>;

export type JobRequest = Pick<ProjectionJob, 'projection' | 'action'>;
export type ClaimedJob = Pick<JobRow, 'job_id' | 'projection' | 'action'>;

/** A job in the way of a new one, or the new one. */
export interface Queued {
  readonly job: ProjectionJob;
  readonly created: boolean;
}

/** How a job ended. `differences` is a number of rows, and `differing_rows` the first of them; both are null unless the job verified. */
export type JobEnd =
  | ({ readonly state: 'done' } & Pick<ProjectionJob, 'differences' | 'differing_rows'>)
  | { readonly state: 'failed'; readonly error: string };

/**
 * The jobs on read models, in ops.projection_job, so that any API can respond for any job. A process that runs a job renews its lease;
 * every statement of that process names it as the holder, so a process that was paused beyond its lease changes nothing.
 */
export class ProjectionJobs {
  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  async find(jobId: number): Promise<ProjectionJob | undefined> {
    const { rows } = await this.pool.query<ShownJob>(`select ${SHOWN} from ops.projection_job where job_id = $1`, [jobId]);
    return rows[0];
  }

  /** Queues a job, unless one of the same read model has not ended. */
  async queue({ projection, action }: JobRequest): Promise<Queued> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      await this.fail(projection);
      const created = await this.pool.query<ShownJob>(
        `insert into ops.projection_job (projection, action) values ($1, $2)
         on conflict (projection) where state in ('queued', 'running') do nothing returning ${SHOWN}`,
        [projection, action],
      );
      if (created.rows[0]) return { job: created.rows[0], created: true };
      const unfinished = await this.pool.query<ShownJob>(
        `select ${SHOWN} from ops.projection_job where projection = $1 and state in ('queued', 'running')`,
        [projection],
      );
      if (unfinished.rows[0]) return { job: unfinished.rows[0], created: false };
    }
    throw new Error(`Jobs of ${projection} end faster than another one can be queued.`);
  }

  async hasQueued(): Promise<boolean> {
    return (await this.pool.query("select from ops.projection_job where state = 'queued' limit 1")).rowCount === 1;
  }

  /** Takes the oldest queued job of these actions and read models. Processes that claim at the same moment get different jobs. */
  async claim(holder: string, actions: readonly JobAction[], projections: readonly string[]): Promise<ClaimedJob | undefined> {
    const { rows } = await this.pool.query<ClaimedJob>(
      `update ops.projection_job set state = 'running', holder = $1, leased_until = now() + make_interval(secs => $4)
       where job_id = (
         select job_id from ops.projection_job
         where state = 'queued' and action = any($2) and projection = any($3)
         order by job_id limit 1 for update skip locked)
       returning job_id, projection, action`,
      [holder, actions, projections, LEASE_SECONDS],
    );
    return rows[0];
  }

  /** Renews the lease and stores the progress. Returns false if the lease has run out: the job then counts as failed. */
  async renew(jobId: number, holder: string, { done, total, rate, seconds_left }: JobProgress): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update ops.projection_job set leased_until = now() + make_interval(secs => $3), done = $4, total = $5, rate = $6, seconds_left = $7
       where job_id = $1 and holder = $2 and state = 'running' and leased_until >= now()`,
      [jobId, holder, LEASE_SECONDS, done, total, rate, seconds_left],
    );
    return rowCount === 1;
  }

  async end(jobId: number, holder: string, end: JobEnd, { done, total, rate }: JobProgress): Promise<void> {
    const isDone = end.state === 'done';
    const [differences, rows] = isDone ? [end.differences, end.differing_rows && JSON.stringify(end.differing_rows)] : [null, null];
    const error = isDone ? null : storableText(end.error);
    await this.pool.query(
      `update ops.projection_job set state = $3, differences = $4, error = $5, done = $6, total = $7, rate = $8, differing_rows = $9,
         seconds_left = case when $3 = 'done' then 0 end, leased_until = null
       where job_id = $1 and holder = $2 and state = 'running' and leased_until >= now()`,
      [jobId, holder, end.state, differences, error, done, total, rate, rows],
    );
  }

  /** Ends the job of a process that has died, so that another one can be queued. */
  private async fail(projection: string): Promise<void> {
    await this.pool.query(
      `update ops.projection_job set state = 'failed', error = $2, seconds_left = null, leased_until = null
       where projection = $1 and ${ENDED_WITHOUT_WORD}`,
      [projection, PROCESS_DIED],
    );
  }
}
