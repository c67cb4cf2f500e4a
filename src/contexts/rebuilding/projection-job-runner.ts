import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger } from 'pino';
import { deleteOldRows, type OnDeleted } from '../../platform/database/delete-old-rows.js';
import { isHeld, LOCKS } from '../../platform/database/instances/locks.js';
import { readCheckpoints } from '../../platform/projecting/checkpoints.js';
import { type Projection } from '../../platform/projecting/projection.js';
import { type Progress, type ShadowParts } from '../../platform/projecting/rebuilding/shadow.js';
import { newerReadModel } from '../../platform/projecting/applying/stepped-down.js';
import { DIFFERENCES_SHOWN, type VerificationResult } from '../../platform/projecting/rebuilding/verify.js';
import { Outages } from '../../platform/store-outages.js';
import { type JobProgress, jobProgress, NO_PROGRESS } from './job-progress.js';
import { type ClaimedJob, type JobEnd, LEASE_SECONDS, ProjectionJobs } from './projection-jobs.js';
import { type JobAction, type ProjectionJob } from './projections.dto.js';
import { rebuildReadModels, retryReadModel, verifyReadModels } from './read-model-work.js';

export const JOBS = 'ops.projection_job';
const POLL_MS = 1_000;
/** Progress is written at most this often, so that a small machine spends its time on the job. */
const PROGRESS_EVERY_MS = 500;
const RENEW_EVERY_MS = 5_000;
const DELETE_EVERY_MS = 10 * 60 * 1_000;
/** Days for which jobs are kept after they were requested. */
const JOBS_KEPT_DAYS = 30;
const DAY_SECONDS = 86_400;
const END_ATTEMPTS = 5;

const STOPPED = 'Stopped: the process that ran the job was shut down. Nothing is half swapped. Start the job again.';
const LEASE_LOST = 'The process that ran the job could not renew its lease in time.';

export interface RunnerParts extends Pick<ShadowParts, 'pool' | 'eventStore' | 'codec' | 'macs'> {
  readonly projections: readonly Projection[];
  readonly logger: Logger;
  readonly onDeleted?: OnDeleted;
}

/**
 * Runs the jobs on read models. Any number of processes may do so: each runs one rebuild or verification at a time, and any number of
 * retries, which only wait for the projector.
 */
export class ProjectionJobRunner {
  private readonly holder = randomUUID();
  private readonly jobs: ProjectionJobs;
  private readonly running = new Set<Promise<void>>();
  private isBuilding = false;

  constructor(private readonly parts: RunnerParts) {
    this.jobs = new ProjectionJobs(parts.pool);
  }

  /** Runs jobs until `signal` is aborted. Resolves when those that it interrupted have been recorded as failed. */
  async run(signal: AbortSignal): Promise<void> {
    const outages = new Outages();
    let deletedAt = -Infinity;
    const stopping = (): boolean => signal.aborted;
    while (!stopping()) {
      try {
        await this.startQueued(signal);
        if (performance.now() - deletedAt >= DELETE_EVERY_MS) {
          await this.deleteOld(signal);
          deletedAt = performance.now();
        }
      } catch (error) {
        if (!stopping() && outages.isNew(error))
          this.parts.logger.warn({ reason: String(error) }, 'jobs on read models could not be claimed; retrying every second');
      }
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(this.running);
  }

  private async startQueued(signal: AbortSignal): Promise<void> {
    const { pool, projections } = this.parts;
    while (!signal.aborted && (await this.jobs.hasQueued())) {
      // A newer release has built the read models, and its processes do this work.
      if (newerReadModel(await readCheckpoints(pool), projections) !== undefined) return;
      const actions = await this.possibleActions();
      const names = projections.map(({ name }) => name);
      const job = await this.jobs.claim(this.holder, actions, names);
      if (!job) return;
      if (job.action !== 'retry') this.isBuilding = true;
      const work = this.execute(job, signal).finally(() => {
        this.running.delete(work);
        if (job.action !== 'retry') this.isBuilding = false;
      });
      this.running.add(work);
    }
  }

  private async possibleActions(): Promise<readonly JobAction[]> {
    if (this.isBuilding) return ['retry'];
    return (await isHeld(this.parts.pool, LOCKS.rebuild)) ? ['retry', 'verify'] : ['retry', 'verify', 'rebuild'];
  }

  private async execute(job: ClaimedJob, stopping: AbortSignal): Promise<void> {
    const meter = new Meter();
    const lost = new AbortController();
    const ended = new AbortController();
    const renewing = this.renew(job, meter, ended.signal, lost);
    const signal = AbortSignal.any([stopping, lost.signal]);
    const end = await this.work(job, meter, signal).then(
      (found): JobEnd => ({ state: 'done', ...found }),
      (error: unknown): JobEnd => ({ state: 'failed', error: stopping.aborted ? STOPPED : reasonOf(error) }),
    );
    ended.abort();
    await renewing;
    await this.record(job, end, meter.progress, stopping);
  }

  /** Returns what a verification has found. */
  private async work({ projection: name, action }: ClaimedJob, meter: Meter, signal: AbortSignal): Promise<Found> {
    const { pool, eventStore, codec, macs, projections } = this.parts;
    const picked = projections.filter((each) => each.name === name);
    const parts: ShadowParts = { pool, eventStore, codec, macs, signal, onProgress: meter.note };
    switch (action) {
      case 'rebuild':
        await rebuildReadModels(parts, picked);
        return NOTHING_COMPARED;
      case 'verify':
        return foundBy(await verifyReadModels(parts, picked));
      case 'retry':
        await retryReadModel(pool, name, signal);
        return NOTHING_COMPARED;
    }
  }

  /** Renews the lease and stores the progress until the job has ended. Aborts `lost` when the lease has run out. */
  private async renew({ job_id }: ClaimedJob, meter: Meter, ended: AbortSignal, lost: AbortController): Promise<void> {
    let renewedAt = performance.now();
    let stored: JobProgress = NO_PROGRESS;
    while (await delay(PROGRESS_EVERY_MS, true, { signal: ended }).catch(() => false)) {
      const { progress } = meter;
      const age = performance.now() - renewedAt;
      if (progress === stored && age < RENEW_EVERY_MS) continue;
      const isKept = await this.jobs.renew(job_id, this.holder, progress).catch(() => undefined);
      if (isKept) [renewedAt, stored] = [performance.now(), progress];
      else if (isKept === false || age >= LEASE_SECONDS * 1_000) {
        lost.abort(new Error(LEASE_LOST));
        return;
      }
    }
  }

  /** Stores the end of a job. If PostgreSQL does not respond for long, the lease runs out and the job counts as failed. */
  private async record(
    { job_id, projection, action }: ClaimedJob,
    end: JobEnd,
    progress: JobProgress,
    stopping: AbortSignal,
  ): Promise<void> {
    const { logger } = this.parts;
    for (let attempt = 1; attempt <= END_ATTEMPTS; attempt += 1) {
      try {
        await this.jobs.end(job_id, this.holder, end, progress);
        const { differing_rows: _rows, ...logged } = { differing_rows: null, ...end };
        logger[end.state === 'done' ? 'info' : 'warn']({ job_id, projection, action, ...logged }, 'a job on a read model has ended');
        return;
      } catch (error) {
        logger.warn({ job_id, reason: String(error) }, 'the end of a job on a read model could not be stored');
        if (stopping.aborted) return;
        await delay(POLL_MS);
      }
    }
  }

  private async deleteOld(signal: AbortSignal): Promise<void> {
    const old = {
      table: JOBS,
      column: 'queued_at',
      seconds: JOBS_KEPT_DAYS * DAY_SECONDS,
      where: "(state in ('done', 'failed') or leased_until < now())",
    };
    await deleteOldRows(this.parts.pool, old, { onDeleted: this.parts.onDeleted, signal });
  }
}

type Found = Pick<ProjectionJob, 'differences' | 'differing_rows'>;

const NOTHING_COMPARED: Found = { differences: null, differing_rows: null };

/** Returns what the verification of a read model, with the tables that are derived from it, has found. */
function foundBy(tables: readonly VerificationResult[]): Found {
  const rows = tables.flatMap(({ projection: table, differences }) => differences.map((each) => ({ table, ...each })));
  return { differences: tables.reduce((sum, { differing }) => sum + differing, 0), differing_rows: rows.slice(0, DIFFERENCES_SHOWN) };
}

/** The progress of a job, measured from its beginning. */
class Meter {
  progress = NO_PROGRESS;
  private readonly beganAt = performance.now();

  readonly note = (progress: Progress): void => {
    this.progress = jobProgress(progress, performance.now() - this.beganAt);
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
