import { type VNode } from 'preact';
import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type MaintenanceView } from '../../../contexts/maintenance/maintenance.dto.js';
import { type ProjectionState } from '../../../contexts/rebuilding/projections.dto.js';
import { pathOf } from '../../admin-api.js';
import { Live } from '../../components/live.js';
import { type Column, Table } from '../../components/table.js';
import { Badge, Money, Notice } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { MaintenancePart } from './maintenance-part.js';
import { OverviewPart } from './overview-part.js';
import { type OverviewReading } from './overview-source.js';

/** Partners that the page lists. */
export const LOWEST = 10;

const COLUMNS: readonly Column<PartnerView>[] = [
  { head: 'Company', cell: ({ partner_id, company_name }) => <a href={`/console${pathOf`/partners/${partner_id}`}`}>{company_name}</a> },
  { head: 'Mode', cell: ({ mode }) => <Badge tone={mode === 'live' ? 'plain' : 'warn'}>{mode}</Badge> },
  { head: 'Balance', numeric: true, cell: ({ wallet_balance }) => <Money amount={wallet_balance} /> },
];

interface Shown {
  readonly reading: OverviewReading;
  /** The active partners with the lowest balances, lowest first. */
  readonly partners: readonly PartnerView[];
  readonly projections: readonly ProjectionState[];
  readonly maintenance: MaintenanceView | null;
}

/** The state of the service, faulted read models, partners, and maintenance. */
export function overviewScreen(visit: Visit, { reading, partners, projections, maintenance }: Shown): Screen {
  return {
    title: 'Overview',
    area: 'overview',
    modules: ['charts'],
    body: (
      <>
        <FaultedReadModels faulted={projections.filter(({ status }) => status === 'faulted')} />
        <Live from="/console/live/overview">
          <OverviewPart reading={reading} />
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

function FaultedReadModels({ faulted }: { readonly faulted: readonly ProjectionState[] }): VNode | null {
  if (faulted.length === 0) return null;
  return (
    <Notice tone="bad">
      Faulted read models: {faulted.map(({ name }) => name).join(', ')}. <a href="/console/read-models">See the errors and retry</a>
    </Notice>
  );
}
