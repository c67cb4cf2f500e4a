import { type ComponentChildren, type VNode } from 'preact';
import {
  type FigureProcess,
  type FiguresView,
  type FigureStep,
  type FigureTotal,
  type NewestLevels,
} from '../../../contexts/figures/figures.dto.js';
import { type WatchedEndpoints } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { queryOf } from '../../admin-api.js';
import { Chart, type Line } from '../../components/live.js';
import { type Column, Table } from '../../components/table.js';
import { Badge, Code, Count, Notice, Time } from '../../components/text.js';
import { type StateOfService } from '../../service-state.js';
import { REVENUE_PATH } from '../books/reports-screen.js';
import { dayBefore } from './money-of-days.js';
import { DEFAULT_PERIOD, PERIOD_NAMES, type Period } from '../../../contexts/figures/domain/figures.js';

/** Failing endpoints that are counted. */
export const MOST_COUNTED = 100;

export interface OverviewProps {
  readonly state: StateOfService;
  readonly figures: FiguresView;
  readonly failing: WatchedEndpoints;
}

/** The part of the overview that is sent again: whether the service is ready, the figures of all processes, and which processes run. */
export function OverviewPart({ state: { faults, degradedBy }, figures, failing }: OverviewProps): VNode {
  return (
    <>
      {faults.length + degradedBy.length > 0 ? null : <Notice tone="good">The service is ready.</Notice>}
      <FailingEndpoints failing={failing} />
      <Cards figures={figures} />
      <p class="soft">
        Whole minutes from <Time at={figures.from} /> to <Time at={figures.to} /> UTC, of all processes. What was counted since then stands
        beside it, and is no part of it. Charts end with the newest step that is over.
      </p>
      <Charts figures={figures} />
      <Processes processes={figures.processes} />
    </>
  );
}

/** Says how many endpoints do not take their deliveries, and since when; nothing if every one does. */
function FailingEndpoints({ failing: { endpoints, next_cursor } }: Pick<OverviewProps, 'failing'>): VNode | null {
  if (endpoints.length === 0) return null;
  const [first] = endpoints.flatMap(({ failing_since }) => failing_since ?? []).sort();
  return (
    <Notice tone="warn">
      {`Webhook endpoints that fail: ${endpoints.length}${next_cursor === null ? '' : ' or more'}`}
      {first === undefined ? null : (
        <>
          , the first since <Time at={first} /> UTC
        </>
      )}
      . <a href="/console/webhooks">Which, and since when</a>
    </Notice>
  );
}

/** What was counted in the whole minutes of a period, and apart from it what has been counted since. */
function Counted({ of, figures: { total, since, to } }: { readonly of: keyof FigureTotal; readonly figures: FiguresView }): VNode {
  return (
    <>
      <Count value={total[of]} />
      {since[of] === 0 ? null : <small class="since">{` + ${since[of]} since ${to.slice(11, 16)}`}</small>}
    </>
  );
}

function Cards({ figures }: { readonly figures: FiguresView }): VNode {
  const { period, now, to } = figures;
  const { name } = PERIOD_CHOICES[period];
  return (
    <div class="cards">
      <Card name="Lookups" note={`in ${name}`}>
        <Counted of="lookups" figures={figures} />
      </Card>
      <Card name="Errors" note={`lookups with status 500 or 503 in ${name}`} href="/console/lookups">
        <Counted of="errors" figures={figures} />
      </Card>
      <Card
        name="Refunds"
        note={`in ${name}`}
        href={`${REVENUE_PATH}${queryOf({ from: dayBefore(to, 1), to: dayBefore(to, 0), by: 'day,partner' })}`}
      >
        <Counted of="refunds" figures={figures} />
      </Card>
      <Card name="Webhooks delivered" note={`in ${name}`} href="/console/webhooks">
        <Counted of="delivered" figures={figures} />
      </Card>
      <Card name="Failed webhooks" note={`attempts in ${name}`} href="/console/webhooks">
        <Counted of="failed_deliveries" figures={figures} />
      </Card>
      <Card name="Lag of read models" note={lagNote(now)} href="/console/read-models">
        <Seconds value={now?.lag_seconds} />
      </Card>
      <Card name="Open charges" note={ageNote(now)}>
        <Count value={now?.open_charges} />
      </Card>
      <Card name="Deliveries waiting" note={failingNote(now)} href="/console/webhooks">
        <Count value={now?.deliveries_waiting} />
      </Card>
    </div>
  );
}

interface CardProps {
  readonly name: string;
  readonly note: ComponentChildren;
  readonly href?: string;
  readonly children: ComponentChildren;
}

export function Card({ name, note, href, children }: CardProps): VNode {
  return (
    <div class="card">
      {href === undefined ? name : <a href={href}>{name}</a>}
      <strong>{children}</strong>
      <small>{note}</small>
    </div>
  );
}

function Seconds({ value }: { readonly value: number | null | undefined }): VNode {
  return value == null ? <Count value={null} /> : <span class="number">{`${Math.round(value)} s`}</span>;
}

const NOT_READ = 'not read within the last two minutes';

/** Levels are the highest of the newest minute. */
const inMinuteOf = ({ at }: NewestLevels): string => `, highest of the minute from ${at.slice(11, 16)}`;

function lagNote(now: NewestLevels | null): string {
  return now?.lag_events == null ? NOT_READ : `events not applied: ${now.lag_events}${inMinuteOf(now)}`;
}

function ageNote(now: NewestLevels | null): string {
  if (now?.open_charges == null) return NOT_READ;
  const text = now.open_charges === 0 ? 'neither settled nor refunded' : `the oldest for ${Math.round(now.oldest_charge_seconds ?? 0)} s`;
  return `${text}${inMinuteOf(now)}`;
}

function failingNote(now: NewestLevels | null): string {
  if (now?.deliveries_waiting == null) return NOT_READ;
  const { failing_seconds: failing } = now;
  const text = failing ? `overdue at failing endpoints for ${Math.round(failing)} s` : 'none overdue at failing endpoints';
  return `${text}${inMinuteOf(now)}`;
}

function Charts({ figures: { period, steps } }: { readonly figures: FiguresView }): VNode {
  const { step } = PERIOD_CHOICES[period];
  const times = steps.map(({ at }) => Math.round(Date.parse(at) / 1_000));
  const line = (label: string, value: (each: FigureStep) => number | null): Line => ({ label, values: steps.map(value) });
  const tenths = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10);
  return (
    <div class="columns">
      <Chart
        label={`Lookups in ${step}`}
        times={times}
        stepped
        lines={[line('All', ({ lookups }) => lookups), line('Errors', ({ errors }) => errors), line('Billed', ({ billed }) => billed)]}
      />
      <Chart label={`Refunds in ${step}`} times={times} stepped lines={[line('Refunds', ({ refunds }) => refunds)]} />
      <Chart
        label={`Webhooks in ${step}`}
        times={times}
        stepped
        lines={[line('Delivered', ({ delivered }) => delivered), line('Failed attempts', ({ failed_deliveries }) => failed_deliveries)]}
      />
      <Chart
        label={`Highest lag of a read model in ${step}, in seconds`}
        times={times}
        unit="seconds"
        stepped
        lines={[line('Lag', ({ lag_seconds }) => tenths(lag_seconds))]}
      />
      <Chart
        label={`Most open charges and waiting deliveries in ${step}`}
        times={times}
        stepped
        lines={[
          line('Open charges', ({ open_charges }) => open_charges),
          line('Deliveries', ({ deliveries_waiting }) => deliveries_waiting),
        ]}
      />
    </div>
  );
}

const PROCESS_COLUMNS: readonly Column<FigureProcess>[] = [
  { head: 'Roles', leads: true, cell: ({ roles }) => roles.join(', ') },
  { head: 'State', leads: true, cell: ({ alive }) => <Badge tone={alive ? 'good' : 'bad'}>{alive ? 'alive' : 'silent'}</Badge> },
  { head: 'Host', cell: ({ host }) => <Code>{host}</Code> },
  { head: 'Process', numeric: true, cell: ({ pid }) => String(pid) },
  { head: 'Since (UTC)', cell: ({ begun_at }) => <Time at={begun_at} /> },
  { head: 'Last heard (UTC)', cell: ({ seen_at }) => <Time at={seen_at} /> },
];

function Processes({ processes }: { readonly processes: readonly FigureProcess[] }): VNode {
  const silent = processes.filter(({ alive }) => !alive).length;
  return (
    <>
      <h2>Processes</h2>
      <p class="soft">
        {silent === 0
          ? 'Each says every five seconds that it is alive.'
          : 'A silent process was killed, hangs, or does not reach the database. It leaves the list after an hour. Start another if it is missed.'}
      </p>
      <Table label="Processes" columns={PROCESS_COLUMNS} rows={processes} empty="No process has written within the last hour." />
    </>
  );
}

/** How pages name the periods and their steps. */
export const PERIOD_CHOICES: Readonly<Record<Period, { readonly name: string; readonly step: string }>> = {
  hour: { name: '60 minutes', step: 'each minute' },
  day: { name: '24 hours', step: 'each ten minutes' },
  month: { name: '30 days', step: 'each six hours' },
};

/** Returns the period that an address names; the default one for any other text. */
export function periodIn({ period }: Readonly<Record<string, string>>): Period {
  return PERIOD_NAMES.find((each) => each === period) ?? DEFAULT_PERIOD;
}
