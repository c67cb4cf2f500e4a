import { type ComponentChildren } from 'preact';
import { type SetAsideEvents, type WitnessesView } from '../../../contexts/evidence/log-browser/log-events.dto.js';
import { type ProjectionList } from '../../../contexts/rebuilding/projections.dto.js';
import { type WatchedEndpoints } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { type Column, Table } from '../../components/table.js';
import { Badge, Notice, type Tone } from '../../components/text.js';
import { type Screen } from '../../screen.js';
import { type StateOfService } from '../../service-state.js';
import { LogLinks, SET_ASIDE_PATH } from './log-links.js';

export interface StateOfParts extends StateOfService {
  readonly projections: ProjectionList['projections'];
  readonly setAside: SetAsideEvents;
  readonly witnesses: WitnessesView['witnesses'];
  readonly failing: WatchedEndpoints;
}

interface Part {
  readonly name: string;
  readonly href: string;
  readonly tone: Tone;
  readonly state: string;
  readonly details: ComponentChildren;
}

const PARTS: readonly Column<Part>[] = [
  { head: 'Part', leads: true, cell: ({ name, href }) => <a href={href}>{name}</a> },
  { head: 'State', leads: true, cell: ({ tone, state }) => <Badge tone={tone}>{state}</Badge> },
  { head: 'Details', cell: ({ details }) => <span class="prose">{details}</span> },
];

/** Shows which parts of the service are degraded, and where to mend it. Like every page it begins with what is refused meanwhile. */
export function partsScreen(state: StateOfParts): Screen {
  return {
    title: 'State of the parts',
    area: 'log',
    body: (
      <>
        <LogLinks />
        {state.faults.length + state.degradedBy.length === 0 ? (
          <Notice tone="good">This process is ready, and no part is degraded.</Notice>
        ) : null}
        <h2>Parts</h2>
        <Table label="Parts" columns={PARTS} rows={partsOf(state)} empty="" />
      </>
    ),
  };
}

function partsOf({ projections, setAside, witnesses, failing }: StateOfParts): readonly Part[] {
  const faulted = projections.filter(({ status }) => status === 'faulted').map(({ name }) => name);
  const behind = witnesses.filter(({ state }) => state !== 'current').map(({ name }) => name);
  const positions = setAside.events.map(({ position }) => position);
  return [
    {
      name: 'Read models',
      href: '/console/read-models',
      ...state(faulted.length, 'live', 'faulted'),
      details: faulted.length === 0 ? `${projections.length} read models` : faulted.join(', '),
    },
    {
      name: 'Set-aside events',
      href: SET_ASIDE_PATH,
      ...state(positions.length, 'none', 'waiting', setAside.next_cursor !== null),
      details: positions.length === 0 ? 'Every event can be used' : `At positions ${positions.join(', ')}`,
    },
    {
      name: 'Witnesses',
      href: '/console/books/checkpoints',
      ...(witnesses.length === 0 ? { tone: 'plain' as const, state: 'none set' } : state(behind.length, 'current', 'behind')),
      details:
        behind.length > 0
          ? behind.join(', ')
          : witnesses.length === 0
            ? 'The setting WITNESSES names none'
            : `${witnesses.length} in the setting WITNESSES`,
    },
    {
      name: 'Webhook endpoints',
      href: '/console/webhooks',
      ...state(failing.endpoints.length, 'delivering', 'failing', failing.next_cursor !== null),
      details: failing.endpoints.length === 0 ? 'No endpoint fails' : 'Partners’ endpoints that do not take deliveries',
    },
  ];
}

function state(count: number, good: string, bad: string, more = false): Pick<Part, 'tone' | 'state'> {
  return count === 0 ? { tone: 'good', state: good } : { tone: 'warn', state: `${count}${more ? ' or more' : ''} ${bad}` };
}
