import { type VNode } from 'preact';
import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type FiguresView } from '../../../contexts/figures/figures.dto.js';
import { type MaintenanceView } from '../../../contexts/maintenance/maintenance.dto.js';
import { type Period, PERIOD_NAMES } from '../../../contexts/figures/domain/figures.js';
import { pathOf, queryOf } from '../../admin-api.js';
import { Live } from '../../components/live.js';
import { type Column, Table } from '../../components/table.js';
import { Badge, Money } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { type StateOfService } from '../../service-state.js';
import { MaintenancePart } from './maintenance-part.js';
import { OverviewPart } from './overview-part.js';
import { PERIOD_CHOICES } from './periods.js';

/** Partners that the page lists. */
export const LOWEST = 10;

const COLUMNS: readonly Column<PartnerView>[] = [
  { head: 'Company', cell: ({ partner_id, company_name }) => <a href={`/console${pathOf`/partners/${partner_id}`}`}>{company_name}</a> },
  { head: 'Mode', cell: ({ mode }) => <Badge tone={mode === 'live' ? 'plain' : 'warn'}>{mode}</Badge> },
  { head: 'Balance', numeric: true, cell: ({ wallet_balance }) => <Money amount={wallet_balance} /> },
];

interface Shown {
  readonly state: StateOfService;
  readonly figures: FiguresView;
  /** The active partners with the lowest balances, lowest first. */
  readonly partners: readonly PartnerView[];
  readonly maintenance: MaintenanceView | null;
}

/** The figures of all processes, partners with little money, and maintenance. */
export function overviewScreen(visit: Visit, { state, figures, partners, maintenance }: Shown): Screen {
  const { period } = figures;
  return {
    title: 'Overview',
    area: 'overview',
    modules: ['charts'],
    body: (
      <>
        <PeriodLinks chosen={period} />
        <Live from={`/console/live/overview${queryOf({ period })}`} announced={false}>
          <OverviewPart state={state} figures={figures} />
        </Live>
        <h2>Lowest balances</h2>
        <p class="soft">{`At most ${LOWEST} active partners, lowest balance first.`}</p>
        <Table
          label="Partners with the lowest balances"
          columns={COLUMNS}
          rows={partners}
          empty="No partner is active yet. Register one under Partners, and activate it."
        />
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
