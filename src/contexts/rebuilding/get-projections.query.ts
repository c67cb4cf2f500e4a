import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { projectionStates } from './projection-states.js';
import { type ProjectionState } from './projections.dto.js';
import { ApiError } from '../../http/errors/api-error.js';
import { ProjectionJobs } from './projection-jobs.js';
import { type ProjectionJob } from './projection-jobs.dto.js';

/** Returns the state of every read model: its position, lag and status. */
export class GetProjections extends Query<readonly ProjectionState[]> {}

@QueryHandler(GetProjections)
export class GetProjectionsHandler implements IQueryHandler<GetProjections> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
  ) {}

  async execute(): Promise<readonly ProjectionState[]> {
    return await projectionStates({ pool: this.pool, eventStore: this.eventStore });
  }
}

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
