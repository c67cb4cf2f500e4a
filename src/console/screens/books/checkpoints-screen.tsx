import { type Checkpoints, type CheckpointView } from '../../../contexts/evidence/checkpoints/checkpoint-responses.dto.js';
import { ActForm } from '../../components/form.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Code, Count, Time } from '../../components/text.js';
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

/** The signed checkpoints of the log, newest first. */
export function checkpointsScreen(visit: Visit, { checkpoints, next_cursor }: Checkpoints): Screen {
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
