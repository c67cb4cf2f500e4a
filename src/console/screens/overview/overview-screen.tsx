import { type VNode } from 'preact';
import { type RunningOut } from '../../../contexts/accounting/prepaid/get-running-out.query.js';
import { type MaintenanceView } from '../../../contexts/maintenance/maintenance.dto.js';
import { type Period, PERIOD_NAMES } from '../../../contexts/figures/domain/figures.js';
import { pathOf, queryOf } from '../../admin-api.js';
import { Live } from '../../components/live.js';
import { type Column, Table } from '../../components/table.js';
import { Money, Notice, Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { MaintenancePart } from './maintenance-part.js';
import { type OverviewProps, OverviewPart, PERIOD_CHOICES } from './overview-part.js';

/** Partners that the page lists. */
export const RUNNING_OUT = 10;

const COLUMNS: readonly Column<RunningOut>[] = [
  { head: 'Company', cell: ({ partner_id, company_name }) => <a href={`/console${pathOf`/partners/${partner_id}`}`}>{company_name}</a> },
  { head: 'Balance', numeric: true, cell: ({ balance }) => <Money amount={balance} /> },
  { head: 'Charged in 7 days and today', numeric: true, cell: ({ spent }) => <Money amount={spent} /> },
  { head: 'Runs out (UTC)', cell: ({ runs_out_at }) => <Time at={runs_out_at} /> },
];

interface Shown extends OverviewProps {
  /** The partners that run out of money within a week, the first one first. */
  readonly runningOut: readonly RunningOut[];
  readonly maintenance: MaintenanceView | null;
}

/** What needs attention now, the figures of all processes, partners that run out of money, and maintenance. */
export function overviewScreen(visit: Visit, { runningOut, maintenance, ...part }: Shown): Screen {
  const { period } = part.figures;
  return {
    title: 'Overview',
    area: 'overview',
    modules: ['charts'],
    body: (
      <>
        <PeriodLinks chosen={period} />
        {runningOut.length === 0 ? null : (
          <Notice tone="warn">
            {`Live partners that run out of money within a week: ${runningOut.length}${runningOut.length < RUNNING_OUT ? '' : ' or more'}. `}
            <a href="#running-out">Which, and when</a>
          </Notice>
        )}
        <Live from={`/console/live/overview${queryOf({ period })}`} announced={false}>
          <OverviewPart {...part} />
        </Live>
        <h2 id="running-out">Running out of money</h2>
        <p class="soft">
          {`At most ${RUNNING_OUT} active live partners whose balance is spent within a week, if their charges go on as in the last seven days. `}
          <a href="/console/partners?sort=balance&status=active">The lowest balances</a>
        </p>
        <Table label="Partners that run out of money" columns={COLUMNS} rows={runningOut} empty="No live partner runs out within a week." />
        <MaintenancePart visit={visit} maintenance={maintenance} />
      </>
    ),
  };
}

function PeriodLinks({ chosen }: { readonly chosen: Period }): VNode {
  return (
    <p class="pages">
      {PERIOD_NAMES.map((period) => (
        <a href={`/console${queryOf({ period })}`} aria-current={period === chosen ? 'page' : undefined}>
          {PERIOD_CHOICES[period].name}
        </a>
      ))}
      <a href="/console/money">Money</a>
    </p>
  );
}
