import { type VNode } from 'preact';
import { type DifferingRow, type ProjectionJob } from '../../../contexts/rebuilding/projections.dto.js';
import { pathOf } from '../../admin-api.js';
import { Live } from '../../components/live.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Badge, Code, Count, Notice, type Tone } from '../../components/text.js';
import { type Screen } from '../../screen.js';

const TONES: Readonly<Record<ProjectionJob['state'], Tone>> = { queued: 'plain', running: 'warn', done: 'good', failed: 'bad' };

/** A job on a read model, which is followed until it has ended. */
export function jobScreen(job: ProjectionJob): Screen {
  const part = <JobPart job={job} />;
  return {
    title: `Job ${job.job_id}: ${job.action} ${job.projection}`,
    area: 'read-models',
    body: (
      <>
        {hasEnded(job) ? part : <Live from={`/console${pathOf`/live/read-models/jobs/${job.job_id}`}`}>{part}</Live>}
        <p>
          <a href="/console/read-models">Back to the read models</a>
        </p>
      </>
    ),
  };
}

/** Returns whether a job is done or failed, so that it does not change any more. */
export function hasEnded({ state }: Pick<ProjectionJob, 'state'>): boolean {
  return state === 'done' || state === 'failed';
}

/** State and progress of a job. */
export function JobPart({ job }: { readonly job: ProjectionJob }): VNode {
  const { state, done, total, rate, seconds_left } = job;
  return (
    <>
      <Facts
        facts={[
          ['State', <Badge tone={TONES[state]}>{state}</Badge>],
          ['Events read', <EventsRead done={done} total={total} />],
          ['Events a second', <Count value={rate} />],
          ['Seconds left', <Count value={hasEnded(job) ? 0 : seconds_left} />],
        ]}
      />
      <Progress job={job} />
      <Outcome job={job} />
    </>
  );
}

function EventsRead({ done, total }: Pick<ProjectionJob, 'done' | 'total'>): VNode {
  return (
    <>
      <Count value={done} /> of <Count value={total} />
    </>
  );
}

/** A bar without a value moves by itself in the browser: the job's end is unknown. */
function Progress({ job }: { readonly job: ProjectionJob }): VNode | null {
  const { state, action, done, total } = job;
  if (state === 'failed' || (state === 'done' && action === 'retry')) return null;
  if (state === 'done') return <progress max={1} value={1} aria-label="Progress of the job" />;
  if (total === null) return <progress aria-label="Progress of the job" />;
  return <progress max={Math.max(1, total)} value={total === 0 ? 1 : done} aria-label="Progress of the job" />;
}

function Outcome({
  job: { state, action, projection, differences, differing_rows, error },
}: {
  readonly job: ProjectionJob;
}): VNode | null {
  if (state === 'queued') return <Notice tone="plain">The job waits for a process with the role projector, or for another rebuild.</Notice>;
  if (state === 'running') return null;
  if (state === 'failed') return <Notice tone="bad">{error ?? 'The job failed.'}</Notice>;
  if (action === 'verify' && differences) return <Differences projection={projection} differences={differences} rows={differing_rows} />;
  return <Notice tone="good">{successOf(action)}</Notice>;
}

const ROW_COLUMNS: readonly Column<DifferingRow>[] = [
  { head: 'Key', cell: ({ key }) => <Code>{key}</Code> },
  { head: 'Difference', cell: ({ kind }) => KINDS[kind] },
  { head: 'Columns', cell: ({ columns }) => columns.join(', ') },
];

const KINDS: Readonly<Record<DifferingRow['kind'], string>> = {
  missing: 'missing in the table',
  unexpected: 'not in the log',
  different: 'other values',
};

interface DifferencesProps {
  readonly projection: string;
  readonly differences: number;
  readonly rows: ProjectionJob['differing_rows'];
}

function Differences({ projection, differences, rows }: DifferencesProps): VNode {
  const shown = rows ?? [];
  return (
    <>
      <Notice tone="bad">
        {differences === 1 ? '1 row of ' : [<Count value={differences} />, ' rows of ']}
        <Code>{`read.${projection}`}</Code> {differences === 1 ? 'differs' : 'differ'} from the log. Rebuild the read model to correct{' '}
        {differences === 1 ? 'it' : 'them'}.
      </Notice>
      <h2>{shown.length < differences ? `The first ${shown.length} of these rows` : 'Rows that differ'}</h2>
      <Table
        label="Rows that differ"
        columns={ROW_COLUMNS}
        rows={shown}
        empty={
          <>
            A process of an earlier release ran this job and did not note the rows. This command names them:{' '}
            <Code>{`rupa projections verify ${projection}`}</Code>
          </>
        }
      />
    </>
  );
}

function successOf(action: ProjectionJob['action']): string {
  switch (action) {
    case 'verify':
      return 'No row differs from the log.';
    case 'rebuild':
      return 'The new table has replaced the old one.';
    case 'retry':
      return 'The read model has resumed and caught up.';
  }
}
