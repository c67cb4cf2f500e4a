import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { readModelOf } from '../../../projections/index.js';
import { ApiError } from '../../http/errors/api-error.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ProjectionJobs } from './projection-jobs.js';
import { type JobAction, type ProjectionJob } from './projections.dto.js';

/**
 * Queues work on a read model, which a process with the role projector does (admin, "Operators").
 * @throws ApiError `projection_not_found`, or `conflict` while another job of the read model has not ended
 */
export class StartProjectionJob extends Command<ProjectionJob> {
  constructor(
    readonly projection: string,
    readonly action: JobAction,
  ) {
    super();
  }
}

@CommandHandler(StartProjectionJob)
export class StartProjectionJobHandler implements ICommandHandler<StartProjectionJob> {
  constructor(@Inject(FREE_CALLS_POOL) private readonly pool: Pool) {}

  async execute({ projection: named, action }: StartProjectionJob): Promise<ProjectionJob> {
    const projection = readModelOf(named)?.name;
    if (projection === undefined) throw new ApiError('projection_not_found');
    const { job, created } = await new ProjectionJobs(this.pool).queue({ projection, action });
    if (!created) throw new ApiError('conflict', { message: conflictMessage(job) });
    return job;
  }
}

export function conflictMessage({
  job_id,
  projection,
  action,
  state,
}: Pick<ProjectionJob, 'job_id' | 'projection' | 'action' | 'state'>): string {
  return `Job ${job_id} (${action} of ${projection}) is ${state}. Send the request again when that job has ended: GET /admin/v1/projections/jobs/${job_id}`;
}
