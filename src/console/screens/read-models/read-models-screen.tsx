import { type VNode } from 'preact';
import { type ProjectionList, type ProjectionState } from '../../../contexts/rebuilding/projections.dto.js';
import { pathOf } from '../../admin-api.js';
import { ActForm } from '../../components/form.js';
import { type Column, Table } from '../../components/table.js';
import { Badge, Count, Notice, type Tone } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';

const TONES: Readonly<Record<ProjectionState['status'], Tone>> = { live: 'good', rebuilding: 'warn', faulted: 'bad' };

/** The read models with their acts, the faulted ones first and with their errors. */
export function readModelsScreen(visit: Visit, { projections }: ProjectionList): Screen {
  const faulted = projections.filter(({ status }) => status === 'faulted');
  const rows = [...faulted, ...projections.filter((each) => !faulted.includes(each))];
  return {
    title: 'Read models',
    area: 'read-models',
    body: (
      <>
        <p>
          Read models are tables that the service derives from the log. Verify compares every row with the log and changes nothing. Rebuild
          writes a new table from the log and swaps it in when it is complete; until then, the old rows are served.
        </p>
        {faulted.map((state) => (
          <Fault visit={visit} state={state} />
        ))}
        <Table
          label="Read models"
          columns={columnsOf(visit)}
          rows={rows}
          empty="There is no read model yet. Start a process with the role projector."
        />
      </>
    ),
  };
}

function Fault({ visit, state: { name, error } }: { readonly visit: Visit; readonly state: ProjectionState }): VNode {
  return (
    <Notice tone="bad">
      <strong>{name} is faulted.</strong> {error}
      <ActForm visit={visit} action={pathOfAct(name, 'retry')} label="Retry" of={name} inline />
    </Notice>
  );
}

function columnsOf(visit: Visit): readonly Column<ProjectionState>[] {
  const columns: readonly Column<ProjectionState>[] = [
    { head: 'Read model', cell: ({ name }) => <strong class="number">{name}</strong> },
    { head: 'State', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
    { head: 'Lag in events', numeric: true, cell: ({ lag }) => <Count value={lag} /> },
    { head: 'Position', numeric: true, cell: ({ position }) => <Count value={position} /> },
    { head: 'Version', numeric: true, cell: ({ version }) => <Count value={version} /> },
    {
      head: 'Check',
      cell: ({ name }) => <ActForm visit={visit} action={pathOfAct(name, 'verify')} label="Verify" of={name} inline changesNothing />,
    },
  ];
  if (visit.person.role !== 'admin') return columns;
  return [
    ...columns,
    {
      head: 'Repair',
      cell: ({ name }) => (
        <ActForm
          visit={visit}
          action={pathOfAct(name, 'rebuild')}
          label="Rebuild"
          of={name}
          asks="The whole log is read once. The old rows are served until the new table replaces them."
          inline
        />
      ),
    },
  ];
}

function pathOfAct(name: string, action: 'verify' | 'rebuild' | 'retry'): string {
  return `/console${pathOf`/read-models/${name}`}/${action}`;
}
