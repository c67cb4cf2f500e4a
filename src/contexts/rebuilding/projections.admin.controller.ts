import { Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ChangesNothing } from '../../http/authenticating/admin-authentication.js';
import { ServedInMaintenance } from '../../http/limiting/maintenance-mode.js';
import { success, type Success } from '../../http/envelope.js';
import { Fails, type DocumentedError } from '../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../http/openapi/operation.js';
import { NumberParam, PathParam } from '../../http/validating/path-parameters.js';
import { type Pool } from 'pg';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { DIFFERENCES_SHOWN } from '../../platform/projecting/rebuilding/verify.js';
import { GetProjectionJob } from './get-projection-job.query.js';
import { projectionStates } from './projection-states.js';
import { type JobAction, ProjectionJob, ProjectionList } from './projections.dto.js';
import { StartProjectionJob, conflictMessage } from './start-projection-job.command.js';
import { PathParameter } from '../../http/openapi/properties.js';

const PROJECTION_NAME = PathParameter({
  name: 'name',
  description: 'Name of the read model.',
  schema: { type: 'string' },
  example: 'wallet_entry',
});
const JOB_ID = PathParameter({ name: 'jobId', description: 'Id of the job.', schema: { type: 'integer', minimum: 1 }, example: 17 });

const PROJECTION_NOT_FOUND: DocumentedError = {
  name: 'ProjectionNotFound',
  codes: ['projection_not_found'],
  description: 'No read model has that name.',
};

const JOB_NOT_FOUND: DocumentedError = {
  name: 'JobNotFound',
  codes: ['job_not_found'],
  description: 'No job has that id, or it was requested more than 30 days ago.',
};

const JOB_CONFLICT: DocumentedError = {
  name: 'JobConflict',
  codes: ['conflict'],
  description: 'Another job of the read model has not ended. The message names it.',
  message: conflictMessage({ job_id: 17, projection: 'wallet_entry', action: 'verify', state: 'running' }),
};

const STATUS_MEANING =
  'A faulted projection is stopped at the event that it could not apply, and the others continue. A projection that is being rebuilt serves its old rows until the rebuild has finished.';
const FOLLOW = 'A process with the role projector runs the job; GET /admin/v1/projections/jobs/{jobId} shows its progress.';
const REBUILD = `The service keeps running: the new table replaces the live one once it is complete. ${FOLLOW}`;
const RETRY = `The read model resumes at the event at which it stopped. The job is done when it has caught up, and failed when it faults again. ${FOLLOW}`;
const VERIFY = `The job changes nothing, so auditors may start it, too. It is done also if rows differ: \`differences\` is their number, and \`differing_rows\` names the first ${DIFFERENCES_SHOWN}. ${FOLLOW}`;

const NAME = /^[a-z_]{1,64}$/;

/** Takes the name of a read model. A malformed one gets the response of an unknown one. */
function NameParam(): ParameterDecorator {
  return PathParam('name', (text) => (NAME.test(text) ? text : ''));
}

/** Lists and repairs read models (admin, "Operators"). */
@Controller('admin/v1/projections')
@AdminApi('Read models')
export class ProjectionsAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
  ) {}

  @Get()
  @Operation('listProjections', 'List every read model with its position in the log, lag and status', STATUS_MEANING)
  @Responds(ProjectionList)
  async list(): Promise<Success<ProjectionList>> {
    return success({ projections: await projectionStates({ pool: this.pool, eventStore: this.eventStore }) });
  }

  @Get('jobs/:jobId')
  @JOB_ID
  @Operation('getProjectionJob', 'Get the state and progress of a job on a read model')
  @Responds(ProjectionJob)
  @Fails(JOB_NOT_FOUND)
  async job(@NumberParam('jobId') jobId: number): Promise<Success<ProjectionJob>> {
    return success(await this.queries.execute(new GetProjectionJob(jobId)));
  }

  @Post(':name/rebuild')
  @ServedInMaintenance
  @HttpCode(202)
  @PROJECTION_NAME
  @Operation('rebuildProjection', 'Rebuild a read model from the log', REBUILD)
  @Responds(ProjectionJob, { status: 202 })
  @Fails(PROJECTION_NOT_FOUND, JOB_CONFLICT)
  async rebuild(@NameParam() name: string): Promise<Success<ProjectionJob>> {
    return await this.start(name, 'rebuild');
  }

  @Post(':name/retry')
  @ServedInMaintenance
  @HttpCode(202)
  @PROJECTION_NAME
  @Operation('retryProjection', 'Resume a faulted read model', RETRY)
  @Responds(ProjectionJob, { status: 202 })
  @Fails(PROJECTION_NOT_FOUND, JOB_CONFLICT)
  async retry(@NameParam() name: string): Promise<Success<ProjectionJob>> {
    return await this.start(name, 'retry');
  }

  @Post(':name/verify')
  @ChangesNothing
  @HttpCode(202)
  @PROJECTION_NAME
  @Operation('verifyProjection', 'Compare every row of a read model with the log', VERIFY)
  @Responds(ProjectionJob, { status: 202 })
  @Fails(PROJECTION_NOT_FOUND, JOB_CONFLICT)
  async verify(@NameParam() name: string): Promise<Success<ProjectionJob>> {
    return await this.start(name, 'verify');
  }

  private async start(name: string, action: JobAction): Promise<Success<ProjectionJob>> {
    return success(await this.commands.execute(new StartProjectionJob(name, action)));
  }
}
