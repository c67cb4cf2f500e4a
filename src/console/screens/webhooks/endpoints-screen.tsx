import { type WatchedEndpoint, type WatchedEndpoints } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { pathOf } from '../../admin-api.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Badge, Count, Time } from '../../components/text.js';
import { type Screen } from '../../screen.js';

const COLUMNS: readonly Column<WatchedEndpoint>[] = [
  { head: 'Endpoint', leads: true, cell: ({ id, url }) => <a href={`/console${pathOf`/webhooks/${id}`}`}>{url}</a> },
  {
    head: 'Status',
    leads: true,
    cell: ({ status, disabled_reason }) => (
      <Badge tone={status === 'enabled' ? 'good' : 'warn'}>{[status, disabled_reason].filter((text) => text !== null).join(': ')}</Badge>
    ),
  },
  { head: 'Failing since', cell: ({ failing_since }) => <Time at={failing_since} /> },
  { head: 'Pending', numeric: true, cell: ({ pending }) => <Count value={pending} /> },
  { head: 'Exhausted', numeric: true, cell: ({ exhausted }) => <Count value={exhausted} /> },
  { head: 'Partner', cell: ({ partner_id }) => <a href={`/console${pathOf`/partners/${partner_id}`}`}>{partner_id.slice(0, 8)}</a> },
];

const PATH = '/console/webhooks';

interface Lists {
  /** Undefined on a later page of the others. */
  readonly failing: WatchedEndpoints | undefined;
  /** Undefined on a later page of those that fail. */
  readonly others: WatchedEndpoints | undefined;
}

/** The endpoints of all partners. @param cursor of the page that is shown */
export function endpointsScreen({ failing, others }: Lists, cursor: string | undefined): Screen {
  return {
    title: 'Webhooks',
    area: 'webhooks',
    body: (
      <>
        {failing === undefined ? null : (
          <>
            <h2>Failing</h2>
            <Table label="Failing endpoints" columns={COLUMNS} rows={failing.endpoints} empty="Every endpoint took its last delivery." />
            <NextPage path={PATH} query={{ failing: true, cursor: others ? undefined : cursor }} cursor={failing.next_cursor} />
          </>
        )}
        {others === undefined ? null : (
          <>
            <h2>Others</h2>
            <Table
              label="Other endpoints"
              columns={COLUMNS}
              rows={others.endpoints}
              empty={
                failing?.endpoints.length
                  ? 'Every endpoint fails.'
                  : 'No endpoint is here. Partners register theirs with POST /v1/rupa/webhooks.'
              }
            />
            <NextPage path={PATH} query={{ cursor }} cursor={others.next_cursor} />
          </>
        )}
      </>
    ),
  };
}
