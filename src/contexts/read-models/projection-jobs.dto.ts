import { Schema } from '../../http/openapi/example.js';
import { Count, Id, OneOf, Text } from '../../http/openapi/properties.js';

export const JOB_ACTIONS = ['rebuild', 'retry', 'verify'] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];
const STATES = ['queued', 'running', 'done', 'failed'] as const;

const STATE = 'A queued job waits for a process with the role projector, or for another rebuild to end.';
const DONE = 'Number of events that the job has read. A retry reads none: the projector does.';
const TOTAL = 'Number of events that the job has to read, estimated from its position in the log until it has read all. Null if unknown.';
const SECONDS_LEFT =
  'Estimated seconds until the job has read the log; 0 while a rebuild then swaps the tables and a verification compares the rows. Null if unknown.';
const DIFFERENCES = 'Number of rows that differ from the log, once a verification is done. Null for other actions.';
const ERROR = 'If failed: the reason and what to do.';

@Schema('ProjectionJob', {
  job_id: 17,
  projection: 'wallet_entry',
  action: 'verify',
  state: 'running',
  done: 120_000,
  total: 480_300,
  rate: 21_500,
  seconds_left: 17,
  differences: null,
  error: null,
})
export class ProjectionJob {
  @Id() readonly job_id: number;
  @Text('Name of the read model.') readonly projection: string;
  @OneOf(JOB_ACTIONS) readonly action: JobAction;
  @OneOf(STATES, STATE) readonly state: (typeof STATES)[number];
  @Count(DONE) readonly done: number;
  @Count({ description: TOTAL, nullable: true }) readonly total: number | null;
  @Count('Events per second since the job began.') readonly rate: number;
  @Count({ description: SECONDS_LEFT, nullable: true }) readonly seconds_left: number | null;
  @Count({ description: DIFFERENCES, nullable: true }) readonly differences: number | null;
  @Text({ description: ERROR, nullable: true }) readonly error: string | null;
}
