import { type Deliveries, type Delivery } from '../../../contexts/webhooks/endpoints/webhook-responses.dto.js';
import { pathOf } from '../../admin-api.js';
import { ActForm, Field } from '../../components/form.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Badge, Code, Count, Time, type Tone } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';

const TONES: Readonly<Record<string, Tone>> = { delivered: 'good', pending: 'plain', failed: 'warn', exhausted: 'bad', cancelled: 'plain' };

/** An endpoint with its deliveries, and the acts that mend it. */
export function endpointScreen(visit: Visit, id: string, { deliveries, next_cursor }: Deliveries): Screen {
  const path = `/console${pathOf`/webhooks/${id}`}`;
  return {
    title: `Endpoint ${id}`,
    area: 'webhooks',
    body: (
      <>
        <div class="acts">
          <ActForm visit={visit} action={`${path}/enable`} label="Enable" inline />
          <ActForm visit={visit} action={`${path}/disable`} label="Disable" dangerous inline />
        </div>
        <h2>Deliveries</h2>
        <Table
          label="Deliveries"
          columns={columns(visit, path)}
          rows={deliveries}
          empty="Nothing was sent to this endpoint in the time that deliveries are kept."
        />
        <NextPage path={path} query={{ cursor: visit.query.cursor }} cursor={next_cursor} />
        {visit.person.role === 'admin' ? <h2>Recover</h2> : null}
        <ActForm visit={visit} action={`${path}/recover`} label="Send again what it missed">
          <Field label="Since (UTC)" name="since" type="datetime-local" required hint="At most 30 days ago." />
        </ActForm>
      </>
    ),
  };
}

function columns(visit: Visit, path: string): readonly Column<Delivery>[] {
  const resend: Column<Delivery> = {
    head: 'Act',
    cell: ({ id }) => <ActForm visit={visit} action={`${path}${pathOf`/deliveries/${id}/resend`}`} label="Resend" inline />,
  };
  return [
    { head: 'Delivery', numeric: true, cell: ({ id }) => <Code>{String(id)}</Code> },
    { head: 'Event', cell: ({ event }) => event },
    { head: 'Status', cell: ({ status }) => <Badge tone={TONES[status] ?? 'plain'}>{status}</Badge> },
    { head: 'Attempts', numeric: true, cell: ({ attempt }) => <Count value={attempt} /> },
    { head: 'Response', numeric: true, cell: ({ response_status }) => response_status ?? <span class="soft">–</span> },
    { head: 'Error', cell: ({ error }) => error ?? <span class="soft">–</span> },
    { head: 'Last attempt', cell: ({ attempted_at }) => <Time at={attempted_at} /> },
    { head: 'Next attempt', cell: ({ next_attempt_at }) => <Time at={next_attempt_at} /> },
    ...(visit.person.role === 'admin' ? [resend] : []),
  ];
}
