import { type Deliveries, type Delivery, DELIVERY_STATUSES } from '../../../contexts/webhooks/endpoints/webhook-responses.dto.js';
import { pathOf } from '../../admin-api.js';
import { ActForm, Choice, Field, Filters } from '../../components/form.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Badge, Code, Count, Time, type Tone } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';

const TONES: Readonly<Record<string, Tone>> = { delivered: 'good', pending: 'plain', failed: 'warn', exhausted: 'bad', cancelled: 'plain' };
const STATUSES = [['', 'every status'] as const, ...DELIVERY_STATUSES.map((status) => [status, status] as const)];

const NOT_SENT = 'Nothing was sent to this endpoint in the time that deliveries are kept.';
const NO_MATCH = 'No delivery matches. Clear a filter, or choose a longer period.';

/** An endpoint with its deliveries, and the acts that mend it. */
export function endpointScreen(visit: Visit, id: string, { deliveries, next_cursor }: Deliveries): Screen {
  const path = `/console${pathOf`/webhooks/${id}`}`;
  const { status, from, to, rupa_id, cursor } = visit.query;
  const filtered = [status, from, to, rupa_id].some(Boolean);
  return {
    title: `Endpoint ${id}`,
    area: 'webhooks',
    body: (
      <>
        <div class="acts">
          <ActForm visit={visit} action={`${path}/enable`} label="Enable" inline />
          <ActForm
            visit={visit}
            action={`${path}/disable`}
            label="Disable"
            asks="Nothing is sent to this endpoint until you enable it again."
            inline
          />
        </div>
        <h2>Deliveries</h2>
        <Filters action={path}>
          <Choice label="Status" name="status" value={status} options={STATUSES} />
          <Field label="Queued from (UTC)" name="from" type="datetime-local" value={from} />
          <Field label="Queued before (UTC)" name="to" type="datetime-local" value={to} />
          <Field label="Rupa id" name="rupa_id" value={rupa_id} placeholder="rp-" />
        </Filters>
        <Table label="Deliveries" columns={columns(visit, path)} rows={deliveries} empty={filtered ? NO_MATCH : NOT_SENT} />
        <NextPage path={path} query={{ status, from, to, rupa_id, cursor }} cursor={next_cursor} />
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
    cell: ({ id }) => (
      <ActForm visit={visit} action={`${path}${pathOf`/deliveries/${id}/resend`}`} label="Resend" of={`delivery ${id}`} inline />
    ),
  };
  return [
    { head: 'Delivery', numeric: true, cell: ({ id }) => <Code>{String(id)}</Code> },
    { head: 'Queued', cell: ({ created_at }) => <Time at={created_at} /> },
    { head: 'Event', cell: ({ event }) => event },
    { head: 'Status', cell: ({ status }) => <Badge tone={TONES[status] ?? 'plain'}>{status}</Badge> },
    { head: 'Attempts', numeric: true, cell: ({ attempt }) => <Count value={attempt} /> },
    { head: 'Result', cell: ({ error, response_status }) => error ?? response_status ?? <span class="soft">–</span> },
    { head: 'Last attempt', cell: ({ attempted_at }) => <Time at={attempted_at} /> },
    { head: 'Next attempt', cell: ({ next_attempt_at }) => <Time at={next_attempt_at} /> },
    ...(visit.person.role === 'admin' ? [resend] : []),
  ];
}
