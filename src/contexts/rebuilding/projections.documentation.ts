import { PathParameter } from '../../http/openapi/properties.js';
import { type DocumentedError } from '../../http/openapi/errors.js';
import { conflictMessage } from './start-projection-job.command.js';

export const PROJECTION_NAME = PathParameter({
  name: 'name',
  description: 'Name of the read model.',
  schema: { type: 'string' },
  example: 'wallet_entry',
});
export const JOB_ID = PathParameter({ name: 'jobId', description: 'Id of the job.', schema: { type: 'integer', minimum: 1 }, example: 17 });

export const PROJECTION_NOT_FOUND: DocumentedError = {
  name: 'ProjectionNotFound',
  codes: ['projection_not_found'],
  description: 'No read model has that name.',
};

export const JOB_NOT_FOUND: DocumentedError = {
  name: 'JobNotFound',
  codes: ['job_not_found'],
  description: 'No job has that id, or it was requested more than 30 days ago.',
};

export const JOB_CONFLICT: DocumentedError = {
  name: 'JobConflict',
  codes: ['conflict'],
  description: 'Another job of the read model has not ended. The message names it.',
  message: conflictMessage({ job_id: 17, projection: 'wallet_entry', action: 'verify', state: 'running' }),
};
