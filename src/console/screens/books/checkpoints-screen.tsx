import { type Checkpoints, type CheckpointView } from '../../../contexts/evidence/checkpoints/checkpoint-responses.dto.js';
import { type WitnessesView, type WitnessStateView } from '../../../contexts/evidence/log-browser/log-events.dto.js';
import { ActForm } from '../../components/form.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Badge, Code, Count, Time, type Tone } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { BOOKS_PATH, BooksLinks } from './trial-balance-screen.js';

export const CHECKPOINTS_PATH = `${BOOKS_PATH}/checkpoints`;

const ROOT_DIGITS = 17;

const COLUMNS: readonly Column<CheckpointView>[] = [
  { head: 'Number', numeric: true, cell: ({ number }) => <Count value={number} /> },
  { head: 'Made at (UTC)', cell: ({ made_at }) => <Time at={made_at} /> },
  { head: 'Events', numeric: true, cell: ({ tree_size }) => <Count value={tree_size} /> },
  { head: 'Root', cell: ({ root }) => <Code cut={ROOT_DIGITS}>{root}</Code> },
  {
    head: 'Cosigned by',
    cell: ({ cosignatures }) =>
      cosignatures.length === 0 ? <span class="soft">nobody</span> : cosignatures.map(({ witness }) => witness).join(', '),
  },
  {
    head: 'Signed note',
    cell: ({ number, note }) => (
      <details>
        <summary>{`Note ${number}`}</summary>
        <pre>
          <code>{note}</code>
        </pre>
      </details>
    ),
  },
];

const STATES: Readonly<Record<WitnessStateView['state'], readonly [tone: Tone, text: string]>> = {
  current: ['good', 'current'],
  behind: ['warn', 'behind'],
  never: ['warn', 'no cosignature yet'],
};

const WITNESSES: readonly Column<WitnessStateView>[] = [
  { head: 'Witness', cell: ({ name }) => name },
  { head: 'State', leads: true, cell: ({ state }) => <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge> },
  { head: 'Last cosigned', numeric: true, cell: ({ last_number }) => <Count value={last_number} /> },
  { head: 'At (UTC)', cell: ({ last_at }) => <Time at={last_at} /> },
  { head: 'Events covered', numeric: true, cell: ({ last_tree_size }) => <Count value={last_tree_size} /> },
  { head: 'Checkpoints since', numeric: true, cell: ({ behind }) => <Count value={behind} /> },
  { head: 'Key', cell: ({ key }) => <Code>{key}</Code> },
];

/** The signed checkpoints of the log, newest first, and what the witnesses have cosigned. */
export function checkpointsScreen(visit: Visit, { checkpoints, next_cursor }: Checkpoints, { witnesses }: WitnessesView): Screen {
  return {
    title: 'Checkpoints',
    area: 'books',
    body: (
      <>
        <BooksLinks />
        <p>
          A checkpoint signs every event of the log up to it. Keep the signed notes outside of this service: they prove later that no event
          was changed.
        </p>
        <ActForm visit={visit} action={CHECKPOINTS_PATH} label="Make a checkpoint now" inline />
        <h2>Witnesses</h2>
        <Table
          label="Witnesses"
          columns={WITNESSES}
          rows={witnesses}
          empty="No witness is set. Witnesses outside of this service cosign its checkpoints: name them in the setting WITNESSES."
        />
        <h2>Made so far</h2>
        <Table
          label="Checkpoints"
          columns={COLUMNS}
          rows={checkpoints}
          empty="There is no checkpoint yet. An administrator makes the first."
        />
        <NextPage path={CHECKPOINTS_PATH} query={{ cursor: visit.query.cursor }} cursor={next_cursor} />
      </>
    ),
  };
}
