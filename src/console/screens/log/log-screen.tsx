import { type LogEvent, type LogEvents } from '../../../contexts/evidence/log-browser/log-events.dto.js';
import { Field, Filters } from '../../components/form.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Term } from '../../components/term.js';
import { Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { EventState, LOG_PATH, LogLinks, StreamLink } from './log-links.js';

const COLUMNS: readonly Column<LogEvent>[] = [
  { head: 'Recorded (UTC)', leads: true, cell: ({ recorded_at }) => <Time at={recorded_at} /> },
  {
    head: 'Event',
    cell: ({ type, state }) => (
      <span>
        <Term>{type}</Term> <EventState state={state} />
      </span>
    ),
  },
  { head: 'Stream', cell: ({ stream, revision }) => <StreamLink stream={stream} from={revision} /> },
  { head: 'Revision', numeric: true, cell: ({ revision }) => <span class="number">{revision}</span> },
  { head: 'By', cell: ({ actor }) => (actor === null ? <span class="soft">–</span> : <span class="prose">{actor}</span>) },
  { head: 'Position', numeric: true, leads: true, cell: ({ position }) => <span class="number">{position}</span> },
];

/** The newest events of all streams, without their data. */
export function logScreen({ query: { category, cursor }, url }: Visit, { events, next_cursor }: LogEvents): Screen {
  const none = category
    ? 'No event of this category is among the newest 2,000. Go to the next page, or clear the category.'
    : 'The log is empty.';
  return {
    title: 'Log',
    area: 'log',
    body: (
      <>
        <LogLinks />
        <p>
          The newest events first; a stream’s page has their data. Each view of this page is in the audit trail, which is a stream of the
          log. <a href={url}>Reload</a>
        </p>
        <Filters action={LOG_PATH}>
          <Field label="Category of streams" name="category" value={category} placeholder="wallet" />
        </Filters>
        <Table label="Newest events" columns={COLUMNS} rows={events} empty={none} />
        <NextPage path={LOG_PATH} query={{ category, cursor }} cursor={next_cursor} />
      </>
    ),
  };
}
