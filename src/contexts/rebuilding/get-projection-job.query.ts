import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ApiError } from '../../http/errors/api-error.js';
import { ProjectionJobs } from './projection-jobs.js';
import { type ProjectionJob } from './projections.dto.js';

/** Returns a job on a read model. @throws ApiError `job_not_found` */
export class GetProjectionJob extends Query<ProjectionJob> {
  constructor(readonly jobId: number) {
    super();
  }
}

@QueryHandler(GetProjectionJob)
export class GetProjectionJobHandler implements IQueryHandler<GetProjectionJob> {
  constructor(@Inject(FREE_CALLS_POOL) private readonly pool: Pool) {}

  async execute({ jobId }: GetProjectionJob): Promise<ProjectionJob> {
    const job = await new ProjectionJobs(this.pool).find(jobId);
    if (!job) throw new ApiError('job_not_found');
    return job;
  }
}
