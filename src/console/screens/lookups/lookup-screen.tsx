import { type VNode } from 'preact';
import { type LookupEvent } from '../../../contexts/lookups/explaining/explain-lookup.query.js';
import { type LookupExplanations, type LookupExplanationView } from '../../../contexts/lookups/explaining/lookup-explanation.dto.js';
import { type WalletEvent } from '../../../contexts/wallet/domain/events.js';
import { pathOf, queryOf } from '../../admin-api.js';
import { PARTNER_FIELD_MODULE, PartnerField, type SuggestedPartner } from '../../components/partner-field.js';
import { Term, Terms } from '../../components/term.js';
import { nameOfTerm } from '../../names.js';
import { StreamLink } from '../log/log-links.js';
import { ActForm, Choice, Field, Filters } from '../../components/form.js';
import { type Column, Facts, NextPage, Table } from '../../components/table.js';
import { Badge, Code, Money, Time, type Tone } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { traceLinkOf } from './trace-link.js';

const LOOKUPS_PATH = '/console/lookups';
const AMOUNT = '[0-9]+(\\.[0-9]{1,2})?';

interface Outcome {
  readonly status: string;
  readonly at?: string;
  readonly reason?: string;
  readonly revision?: number;
}

type Fee = readonly [name: string, amount: number];

const TONES: Readonly<Record<string, Tone>> = { settled: 'good', open: 'warn', refunded: 'plain', compensated: 'plain' };

const FEES: readonly Column<Fee>[] = [
  { head: 'Fee', cell: ([name]) => <Term>{name}</Term> },
  { head: 'Amount', numeric: true, cell: ([, amount]) => <Money amount={amount} /> },
];

const LIST: readonly Column<LookupExplanationView>[] = [
  { head: 'Charged at (UTC)', cell: ({ charged_at }) => <Time at={charged_at} /> },
  {
    head: 'Partner',
    cell: ({ partner }) => <a href={`/console${pathOf`/partners/${partner.partner_id}`}`}>{partner.company_name}</a>,
  },
  { head: 'Purpose', cell: ({ source }) => source },
  { head: 'Sections', cell: ({ sections }) => sections.map(nameOfTerm).join(', ') },
  { head: 'Amount', numeric: true, cell: ({ amount }) => <Money amount={amount} /> },
  { head: 'Outcome', cell: ({ outcome: { status } }) => <Badge tone={TONES[status] ?? 'plain'}>{status}</Badge> },
  {
    head: 'Lookup',
    cell: ({ lookup_id }) => (
      <a href={`/console${pathOf`/lookups/${lookup_id}`}`}>
        <Code cut={14}>{lookup_id}</Code>
      </a>
    ),
  },
];

const EVENTS: readonly Column<LookupEvent>[] = [
  { head: 'Recorded at (UTC)', cell: ({ recorded_at }) => <Time at={recorded_at} /> },
  { head: 'Event', cell: ({ type }) => <Term>{type}</Term> },
  { head: 'Stream', cell: ({ stream, revision }) => <StreamLink stream={stream} from={revision} /> },
  { head: 'Revision', numeric: true, cell: ({ revision }) => <span class="number">{revision}</span> },
  { head: 'Position', numeric: true, cell: ({ position }) => <span class="number">{position}</span> },
];

/** Whether entries of the type move the money of a lookup. */
const OF_LOOKUPS: { readonly [Type in WalletEvent['type']]: boolean } = {
  WalletDebited: true,
  RefundIssued: true,
  LookupCompensated: true,
  WalletCredited: false,
  CreditReversed: false,
  WalletPaidOut: false,
  ConsentGranted: false,
  ChargesSettled: false,
};
const TYPES = Object.entries(OF_LOOKUPS).flatMap(([type, isOfLookup]) => (isOfLookup ? [type] : []));
const KINDS = TYPES.map((type) => [type, nameOfTerm(type)] as const);

/** Returns the type of entries about lookups that a form names; the first one for any other text. */
export function lookupEntryType(named: string | undefined): string | undefined {
  return TYPES.find((type) => type === named) ?? TYPES[0];
}

/** The forms that find lookups, and those of a farmer that were found. */
export function findLookupScreen({ query }: Visit, partners: readonly SuggestedPartner[], found?: LookupExplanations): Screen {
  const { rupa_id, from, to, partner, source, min, max, cursor } = query;
  return {
    title: 'Lookups',
    area: 'lookups',
    modules: [PARTNER_FIELD_MODULE],
    body: (
      <>
        <p>
          Search by the id of a lookup (<code>billing.lookup_id</code> of its response), or by the <code>X-Request-Id</code> of its
          response. The entries of a <a href="/console/partners">partner’s wallet</a> link to its lookups.
        </p>
        <form method="get" action="/console/search" class="act">
          <Field label="Lookup id or request id" name="q" required />
          <button>Find</button>
        </form>
        <h2>Lookups of a farmer</h2>
        <Filters action={LOOKUPS_PATH}>
          <Field label="Rupa id" name="rupa_id" value={rupa_id} required placeholder="rp-" />
          <Field label="From (UTC)" name="from" type="datetime-local" value={from} />
          <Field label="To (UTC)" name="to" type="datetime-local" value={to} />
          <PartnerField name="partner" value={partner} partners={partners} />
          <Field label="Purpose" name="source" value={source} placeholder="loan" />
          <Field label="At least (NGN)" name="min" value={min} pattern={AMOUNT} />
          <Field label="At most (NGN)" name="max" value={max} pattern={AMOUNT} />
        </Filters>
        {found ? (
          <>
            <Table
              label="Lookups of the farmer"
              columns={LIST}
              rows={found.lookups}
              empty="Nobody was charged for a lookup of this farmer in that time. Check the Rupa id, or choose a longer time."
            />
            <NextPage path={LOOKUPS_PATH} query={{ rupa_id, from, to, partner, source, min, max, cursor }} cursor={found.next_cursor} />
          </>
        ) : null}
        <h2>Lookups of a partner</h2>
        <Filters action={`${LOOKUPS_PATH}/of-partner`}>
          <PartnerField label="Partner of the lookups" name="of" required partners={partners} />
          <Choice label="Show" name="type" options={KINDS} />
          <Field label="Recorded from (UTC)" name="since" type="datetime-local" />
          <Field label="Recorded before (UTC)" name="before" type="datetime-local" />
        </Filters>
      </>
    ),
  };
}

/** A charged lookup, as `rupa wallet explain` shows it. */
export function lookupScreen(visit: Visit, lookup: LookupExplanationView, traceUrl: string | undefined): Screen {
  const { lookup_id, breakdown } = lookup;
  // An open charge has none of these.
  const outcome: Partial<Record<'at' | 'reason', string>> & { readonly status: string; readonly revision?: number } = lookup.outcome;
  return {
    title: 'Lookup',
    area: 'lookups',
    body: (
      <>
        <LookupFacts lookup={lookup} traceUrl={traceUrl} />
        <h2>Fees</h2>
        <Table label="Fees" columns={FEES} rows={Object.entries(breakdown)} empty="Nothing was charged." />
        <h2>Events in the log</h2>
        <Table label="Events in the log" columns={EVENTS} rows={lookup.events} empty="The log has no event of this lookup." />
        {outcome.status === 'settled' && visit.person.role === 'admin' ? <h2>Give the charge back</h2> : null}
        {outcome.status === 'settled' ? (
          <ActForm
            visit={visit}
            action={`/console${pathOf`/lookups/${lookup_id}/compensation`}`}
            label="Compensate"
            asks="The charge goes back to the partner’s balance, and the statement shows it. It cannot be charged again."
          >
            <Field label="Reason" name="reason" required hint="The statement shows it to the partner." />
          </ActForm>
        ) : null}
      </>
    ),
  };
}

interface LookupFactsProps {
  readonly lookup: LookupExplanationView;
  readonly traceUrl: string | undefined;
}

function LookupFacts({ lookup, traceUrl }: LookupFactsProps): VNode {
  const { partner, key, rupa_id, source, charged_at, hash, sections, amount, price_book_version, consent_granted } = lookup;
  // An open charge has none of the optional ones.
  const { status, at, reason } = lookup.outcome as Outcome;
  return (
    <Facts
      facts={[
        ['Outcome', <Badge tone={TONES[status] ?? 'plain'}>{status}</Badge>],
        ['Amount', <Money amount={amount} />],
        ['Outcome at', <Time at={at} />],
        ['Reason of the outcome', reason ?? '–'],
        ['Partner', <a href={`/console${pathOf`/partners/${partner.partner_id}`}`}>{partner.company_name}</a>],
        ['Key', key.label ?? <Code cut={14}>{key.key_id}</Code>],
        ['Farmer', <a href={`/console${pathOf`/farmers/${rupa_id}`}`}>{rupa_id}</a>],
        ['Purpose', source],
        ['Charged at', <Time at={charged_at} />],
        ['Sections', <Terms of={sections} />],
        ['Prices', `version ${price_book_version}`],
        ['Consent', consent_granted ? 'recorded by this lookup' : 'existed before'],
        ['Hash of the entry', <Code>{hash}</Code>],
        ['Lookup id', <Code>{lookup.lookup_id}</Code>],
        [
          'Call',
          <a class="unbroken" href={`/console/search${queryOf({ q: lookup.request_id })}`}>
            <Code>{lookup.request_id}</Code>
          </a>,
        ],
        ['Trace', <Trace id={lookup.trace_id} traceUrl={traceUrl} />],
      ]}
    />
  );
}

interface TraceProps {
  readonly id: string | null;
  readonly traceUrl: string | undefined;
}

/** The id of a trace, as a link if the tracing system's address is known. */
function Trace({ id, traceUrl }: TraceProps): VNode {
  if (id === null) return <span class="soft">not traced</span>;
  const link = traceLinkOf(traceUrl, id);
  if (link === undefined) return <Code>{id}</Code>;
  return (
    <a href={link} rel="noopener noreferrer" target="_blank">
      <Code>{id}</Code>
    </a>
  );
}
