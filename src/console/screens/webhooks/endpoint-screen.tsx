import { type Deliveries, type Delivery, DELIVERY_STATUSES } from '../../../contexts/webhooks/endpoints/webhook-responses.dto.js';
import { pathOf } from '../../admin-api.js';
import { ActForm, Choice, Field, Filters } from '../../components/form.js';
import { type VNode } from 'preact';
import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { ALL_EVENTS, SUBSCRIBABLE_TYPES, TEST_TYPE } from '../../../contexts/webhooks/domain/notification-types.js';
import { type WatchedEndpoint } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { Term, Terms } from '../../components/term.js';
import { nameOfTerm } from '../../names.js';
import { type Column, Facts, NextPage, Table } from '../../components/table.js';
import { Badge, Code, Count, Time, type Tone } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';

const TONES: Readonly<Record<string, Tone>> = { delivered: 'good', pending: 'plain', failed: 'warn', exhausted: 'bad', cancelled: 'plain' };
const STATUSES = [['', 'every status'] as const, ...DELIVERY_STATUSES.map((status) => [status, status] as const)];

const NOT_SENT = 'Nothing was sent to this endpoint in the time that deliveries are kept.';
const NO_MATCH = 'No delivery matches. Clear a filter, or choose a longer period.';

const EVENTS = [['', 'every event'] as const, ...[...SUBSCRIBABLE_TYPES, TEST_TYPE].map((type) => [type, nameOfTerm(type)] as const)];

export interface ShownEndpoint {
  readonly endpoint: WatchedEndpoint;
  readonly partner: PartnerView;
  readonly deliveries: Deliveries;
}

/** An endpoint with its deliveries, and the acts that mend it. */
export function endpointScreen(visit: Visit, { endpoint, partner, deliveries: { deliveries, next_cursor } }: ShownEndpoint): Screen {
  const path = `/console${pathOf`/webhooks/${endpoint.id}`}`;
  const { status, from, to, rupa_id, event, cursor } = visit.query;
  const filtered = [status, from, to, rupa_id, event].some(Boolean);
  return {
    title: `${endpoint.url} of ${partner.company_name}`,
    area: 'webhooks',
    body: (
      <>
        <EndpointFacts endpoint={endpoint} partner={partner} />
        <div class="acts">
          {endpoint.status === 'enabled' ? (
            <ActForm
              visit={visit}
              action={`${path}/disable`}
              label="Disable"
              asks="Nothing is sent to this endpoint until you enable it again."
              inline
            />
          ) : (
            <ActForm visit={visit} action={`${path}/enable`} label="Enable" inline />
          )}
        </div>
        <h2>Deliveries</h2>
        <Filters action={path}>
          <Choice label="Status" name="status" value={status} options={STATUSES} />
          <Choice label="Event" name="event" value={event} options={EVENTS} />
          <Field label="Queued from (UTC)" name="from" type="datetime-local" value={from} />
          <Field label="Queued before (UTC)" name="to" type="datetime-local" value={to} />
          <Field label="Rupa id" name="rupa_id" value={rupa_id} placeholder="rp-" />
        </Filters>
        <Table label="Deliveries" columns={columns(visit, path)} rows={deliveries} empty={filtered ? NO_MATCH : NOT_SENT} />
        <NextPage path={path} query={{ status, from, to, rupa_id, event, cursor }} cursor={next_cursor} />
        {visit.person.role === 'admin' ? <h2>Recover</h2> : null}
        <ActForm visit={visit} action={`${path}/recover`} label="Send again what it missed">
          <Field label="Since (UTC)" name="since" type="datetime-local" required hint="At most 30 days ago." />
        </ActForm>
      </>
    ),
  };
}

function EndpointFacts({ endpoint, partner: { partner_id, company_name, mode } }: Omit<ShownEndpoint, 'deliveries'>): VNode {
  const { id, name, status, disabled_reason, failing_since, pending, exhausted, subscribed_events } = endpoint;
  return (
    <Facts
      facts={[
        ['Partner', <a href={`/console${pathOf`/partners/${partner_id}`}`}>{company_name}</a>],
        [
          'Status',
          <Badge tone={status === 'enabled' ? 'good' : 'warn'}>
            {[status, disabled_reason].filter((text) => text !== null).join(': ')}
          </Badge>,
        ],
        ['Mode', <Badge tone={mode === 'live' ? 'plain' : 'warn'}>{mode}</Badge>],
        ['Failing since', <Time at={failing_since} />],
        ['Pending', <Count value={pending} />],
        ['Exhausted', <Count value={exhausted} />],
        ['Name', name ?? <span class="soft">none</span>],
        ['Endpoint id', <Code>{String(id)}</Code>],
        ['Subscribed to', subscribed_events.includes(ALL_EVENTS) ? 'all events' : <Terms of={subscribed_events} />],
      ]}
    />
  );
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
    { head: 'Event', cell: ({ event }) => <Term>{event}</Term> },
    { head: 'Status', cell: ({ status }) => <Badge tone={TONES[status] ?? 'plain'}>{status}</Badge> },
    { head: 'Attempts', numeric: true, cell: ({ attempt }) => <Count value={attempt} /> },
    { head: 'Result', cell: ({ error, response_status }) => error ?? response_status ?? <span class="soft">–</span> },
    { head: 'Last attempt', cell: ({ attempted_at }) => <Time at={attempted_at} /> },
    { head: 'Next attempt', cell: ({ next_attempt_at }) => <Time at={next_attempt_at} /> },
    ...(visit.person.role === 'admin' ? [resend] : []),
  ];
}
