import { type VNode } from 'preact';
import { type LookupExplanationView } from '../../../contexts/wallet/lookup-explanation.dto.js';
import { pathOf } from '../../admin-api.js';
import { ActForm, Field } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Badge, Code, Money, Time, type Tone } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';

interface Outcome {
  readonly status: string;
  readonly at?: string;
  readonly reason?: string;
  readonly revision?: number;
}

type Fee = readonly [name: string, amount: number];

const TONES: Readonly<Record<string, Tone>> = { settled: 'good', open: 'warn', refunded: 'plain', compensated: 'plain' };

const FEES: readonly Column<Fee>[] = [
  { head: 'Fee', cell: ([name]) => <Code>{name}</Code> },
  { head: 'Amount', numeric: true, cell: ([, amount]) => <Money amount={amount} /> },
];

/** The form that finds a lookup. */
export function findLookupScreen(): Screen {
  return {
    title: 'Lookups',
    area: 'lookups',
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
      </>
    ),
  };
}

/** A charged lookup, as `rupa wallet explain` shows it. */
export function lookupScreen(visit: Visit, lookup: LookupExplanationView): Screen {
  const { lookup_id, breakdown } = lookup;
  // An open charge has none of these.
  const outcome: Partial<Record<'at' | 'reason', string>> & { readonly status: string; readonly revision?: number } = lookup.outcome;
  return {
    title: 'Lookup',
    area: 'lookups',
    body: (
      <>
        <LookupFacts lookup={lookup} />
        <h2>Fees</h2>
        <Table label="Fees" columns={FEES} rows={Object.entries(breakdown)} empty="Nothing was charged." />
        {outcome.status === 'settled' && visit.person.role === 'admin' ? <h2>Give the charge back</h2> : null}
        {outcome.status === 'settled' ? (
          <ActForm visit={visit} action={`/console${pathOf`/lookups/${lookup_id}/compensation`}`} label="Compensate" dangerous>
            <Field label="Reason" name="reason" required hint="The statement shows it to the partner." />
          </ActForm>
        ) : null}
      </>
    ),
  };
}

function LookupFacts({ lookup }: { readonly lookup: LookupExplanationView }): VNode {
  const { partner, key, rupa_id, source, charged_at, revision, hash, sections, amount, price_book_version, consent_granted } = lookup;
  // An open charge has none of the optional ones.
  const { status, at, reason, revision: closed } = lookup.outcome as Outcome;
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
        ['Sections', sections.join(', ')],
        ['Prices', `version ${price_book_version}`],
        ['Consent', consent_granted ? 'recorded by this lookup' : 'existed before'],
        [
          'Events in the log',
          <Code>{`wallet-${partner.partner_id} at ${[revision, closed].filter((each) => each !== undefined).join(', ')}`}</Code>,
        ],
        ['Hash of the entry', <Code>{hash}</Code>],
        ['Lookup id', <Code>{lookup.lookup_id}</Code>],
      ]}
    />
  );
}
