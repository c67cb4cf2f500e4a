import { Count, ListOf, OneOf, Schema, Text, Id, Texts } from '../../http/openapi/properties.js';
import { MAX_COUNTED_LAG } from '../../platform/projecting/checkpoints.js';
import { DIFFERENCE_KINDS, DIFFERENCES_SHOWN } from '../../platform/projecting/rebuilding/verify.js';

const FAULT =
  'event 4b4f0c0e-3c1f-4f0e-9b1a-0d2b5f6a7c8d (FarmerSectionUpdated, farmer-rp-spvyqbds at 4): no such crop. The projection is stopped at this event, and the others continue. …';
const STATUSES = ['live', 'rebuilding', 'faulted'] as const;

@Schema('Projection', { name: 'wallet_entry', version: 3, position: '48213', lag: 0, status: 'live', error: null })
export class ProjectionState {
  @Text() readonly name: string;
  @Count('The version of the projection that built the rows.') readonly version: number;
  @Text({ description: 'Log position of the last event that the rows show, a whole number. Null before the first event.', nullable: true })
  readonly position: string | null;
  @Count({ maximum: MAX_COUNTED_LAG, description: 'Number of events that are not applied yet, counted up to 10,000.' })
  readonly lag: number;
  @OneOf(STATUSES) readonly status: (typeof STATUSES)[number];
  @Text({ description: 'If faulted: the event, the reason and what to do.', nullable: true }) readonly error: string | null;
  /** Number of rows, null without a table. Only the command line asks for it. */
  readonly rows?: number | null;
}

@Schema('ProjectionList', {
  projections: [
    { name: 'wallet_entry', version: 3, position: '48213', lag: 0, status: 'live', error: null },
    { name: 'farmer_profile', version: 1, position: '48007', lag: 206, status: 'faulted', error: FAULT },
  ],
})
export class ProjectionList {
  @ListOf(ProjectionState) readonly projections: readonly ProjectionState[];
}

const JOB_ACTIONS = ['rebuild', 'retry', 'verify'] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];
const STATES = ['queued', 'running', 'done', 'failed'] as const;

const STATE = 'A queued job waits for a process with the role projector, or for another rebuild to end.';
const DONE = 'Number of events that the job has read. A retry reads none: the projector does.';
const TOTAL = 'Number of events that the job has to read, estimated from its position in the log until it has read all. Null if unknown.';
const SECONDS_LEFT =
  'Estimated seconds until the job has read the log; 0 while a rebuild then swaps the tables and a verification compares the rows. Null if unknown.';
const DIFFERENCES = 'Number of rows that differ from the log, once a verification is done. Null for other actions.';
const DIFFERING_ROWS = `The first ${DIFFERENCES_SHOWN} of these rows, by tables and in the order of their keys. Null for other actions.`;
const ERROR = 'If failed: the reason and what to do.';

@Schema('DifferingRow', {
  table: 'wallet_entry',
  key: '["7f3a9c52-2b1e-4c0d-9a44-1f0e6d2b8c11", 17]',
  kind: 'different',
  columns: ['reference'],
})
export class DifferingRow {
  @Text('Name of the table: that of the read model, or one that is derived from it.') readonly table: string;
  @Text('Values of the primary key of the table, as a JSON array.') readonly key: string;
  @OneOf(DIFFERENCE_KINDS, 'The row is missing from the table, unexpected there, or has other values.')
  readonly kind: (typeof DIFFERENCE_KINDS)[number];
  @Texts(undefined, 'Names of the columns that differ, without their values; empty unless `kind` is `different`.')
  readonly columns: readonly string[];
}

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
  differing_rows: null,
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
  @ListOf(DifferingRow, { description: DIFFERING_ROWS, maxItems: DIFFERENCES_SHOWN, nullable: true })
  readonly differing_rows: readonly DifferingRow[] | null;
  @Text({ description: ERROR, nullable: true }) readonly error: string | null;
}
