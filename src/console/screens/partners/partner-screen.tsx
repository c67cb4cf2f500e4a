import { type VNode } from 'preact';
import { type ApiKeyList, type ApiKeyView, type IssuedApiKey } from '../../../contexts/partners/keys/api-key-responses.dto.js';
import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type WatchedEndpoints } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { SECRET_MINUTES } from '../../acts/kept-things.js';
import { pathOf } from '../../admin-api.js';
import { ActForm, Checks, Choice, Field } from '../../components/form.js';
import { type Column, Facts, NextPage, Table } from '../../components/table.js';
import { Terms } from '../../components/term.js';
import { Badge, Code, Count, Money, nairaText, Notice, Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { DetailsForm, LegalFacts } from './details-form.js';
import { percent } from './partners-screen.js';

const KEY_ID_DIGITS = 8;
const AMOUNT_HINT = 'Digits, and up to two decimals after a point.';

type Endpoint = WatchedEndpoints['endpoints'][number];

const ENDPOINTS: readonly Column<Endpoint>[] = [
  { head: 'Address', cell: ({ id, url }) => <a href={`/console${pathOf`/webhooks/${id}`}`}>{url}</a> },
  { head: 'Status', cell: ({ status }) => <Badge tone={status === 'enabled' ? 'good' : 'warn'}>{status}</Badge> },
  { head: 'Failing since', cell: ({ failing_since }) => <Time at={failing_since} /> },
  { head: 'Pending', numeric: true, cell: ({ pending }) => <Count value={pending} /> },
  { head: 'Exhausted', numeric: true, cell: ({ exhausted }) => <Count value={exhausted} /> },
];

/** A partner: what it is, its keys, its endpoints, and what an administrator changes about it. */
export function partnerScreen(visit: Visit, partner: PartnerView, keys: ApiKeyList, { endpoints }: WatchedEndpoints): Screen {
  const { api_keys, next_cursor } = keys;
  const { cursor } = visit.query;
  const path = `/console${pathOf`/partners/${partner.partner_id}`}`;
  return {
    title: partner.company_name,
    area: 'partners',
    body: (
      <>
        <PartnerFacts partner={partner} />
        <p>
          <a href={`/console${pathOf`/wallets/${partner.partner_id}`}`}>Wallet: entries, balance over time, statement, export</a>
        </p>
        <StatusAct visit={visit} partner={partner} path={path} />
        <h2>Customer</h2>
        <LegalFacts partner={partner} />
        <h2>Keys</h2>
        <Table label="Keys" columns={keyColumns(visit, path)} rows={api_keys} empty="This partner has no key, so it cannot call yet." />
        <NextPage path={path} query={{ cursor }} cursor={next_cursor} />
        <ActForm visit={visit} action={`${path}/api-keys`} label="Issue a key" inline>
          <Field label="Label" name="label" placeholder="production" />
        </ActForm>
        <h2>Endpoints</h2>
        <Table label="Endpoints" columns={ENDPOINTS} rows={endpoints} empty="This partner has registered no webhook endpoint." />
        {visit.person.role === 'admin' ? <Changes visit={visit} partner={partner} path={path} /> : null}
      </>
    ),
  };
}

/** Shows a key for a short time: the service itself stores only its hash. */
export function newKeyScreen(visit: Visit, { key_id, api_key }: IssuedApiKey): Screen {
  return {
    title: 'New key',
    area: 'partners',
    body: (
      <>
        <Notice tone="warn">
          Copy the key now. This page shows it for {SECRET_MINUTES} minutes, to this session alone, and can be loaded again until then. The
          service itself stores only the hash of the key.
        </Notice>
        <pre class="secret" tabIndex={0} aria-label="The key">
          <code>{api_key}</code>
        </pre>
        <Facts facts={[['Key id', <Code>{key_id}</Code>]]} />
        <ActForm visit={visit} action={`${visit.url}/stored`} label="I have stored it" />
      </>
    ),
  };
}

function PartnerFacts({ partner }: { readonly partner: PartnerView }): VNode {
  const { partner_id, account_type, mode, status, wallet_balance, compliance, ip_allow_list, optional_sections } = partner;
  const { compliance_rate, contributions_received, contributions_expected } = compliance;
  return (
    <Facts
      facts={[
        ['Status', <Badge tone={status === 'active' ? 'good' : 'warn'}>{status}</Badge>],
        ['Mode', <Badge tone={mode === 'live' ? 'plain' : 'warn'}>{mode}</Badge>],
        ['Balance', <Money amount={wallet_balance} />],
        ['Type', account_type],
        ['Compliance', `${percent(compliance_rate)}: ${contributions_received} of ${contributions_expected} contributions`],
        ['Optional sections', optional_sections.length === 0 ? 'none' : <Terms of={optional_sections} />],
        ['May call from', ip_allow_list.join(', ') || 'every address'],
        ['Partner id', <Code>{partner_id}</Code>],
      ]}
    />
  );
}

interface Part {
  readonly visit: Visit;
  readonly partner: PartnerView;
  readonly path: string;
}

function StatusAct({ visit, partner: { status, company_name }, path }: Part): VNode {
  return status === 'active' ? (
    <ActForm
      visit={visit}
      action={`${path}/deactivate`}
      label="Deactivate"
      of={company_name}
      asks="Its lookups are refused until you activate it again. Nothing else changes."
      inline
    />
  ) : (
    <ActForm visit={visit} action={`${path}/activate`} label="Activate" inline />
  );
}

function keyColumns(visit: Visit, path: string): readonly Column<ApiKeyView>[] {
  return [
    { head: 'Label', cell: ({ label }) => label ?? <span class="soft">no label</span> },
    { head: 'Key id', cell: ({ key_id }) => <Code cut={14}>{key_id}</Code> },
    { head: 'Last four', cell: ({ last_four }) => (last_four === null ? null : <Code>{last_four}</Code>) },
    { head: 'Issued', cell: ({ created_at }) => <Time at={created_at} /> },
    { head: 'Last used (hour)', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      head: 'Status',
      cell: ({ deactivated_at, expires_at }) =>
        deactivated_at !== null ? (
          <Badge tone="plain">deactivated</Badge>
        ) : expires_at === null ? (
          <Badge tone="good">active</Badge>
        ) : Date.parse(expires_at) <= Date.now() ? (
          <Badge tone="plain">expired</Badge>
        ) : (
          <Badge tone="warn">
            active until <Time at={expires_at} />
          </Badge>
        ),
    },
    {
      head: '',
      cell: ({ key_id, label, deactivated_at }) =>
        deactivated_at === null ? (
          <ActForm
            visit={visit}
            action={`${path}${pathOf`/api-keys/${key_id}/revoke`}`}
            label="Revoke"
            of={`key ${[label, key_id.slice(0, KEY_ID_DIGITS)].filter((text) => text !== null).join(' ')}`}
            asks="Calls with this key are refused from now on, and a revoked key never works again. Issue another one first if the partner still calls."
            inline
          />
        ) : null,
    },
  ];
}

function Changes(part: Part): VNode {
  return (
    <div class="columns">
      <DetailsForm {...part} />
      <CreditForm {...part} />
      <ReversalForm {...part} />
      <PayoutForm {...part} />
      <SectionsForm {...part} />
      <AllowListForm {...part} />
    </div>
  );
}

function CreditForm({ visit, path }: Part): VNode {
  return (
    <section>
      <h2>Credit the wallet</h2>
      <ActForm visit={visit} action={`${path}/credits`} label="Credit">
        <Field label="Amount in NGN" name="amount" required placeholder="50000" pattern="[0-9]+(\.[0-9]{1,2})?" hint={AMOUNT_HINT} />
        <Field
          label="Reference"
          name="reference"
          required
          hint="The bank’s reference. A reference is credited once, however often it is submitted."
        />
        <Choice label="Kind" name="kind" value="payment" options={['payment', 'goodwill', 'correction'].map((kind) => [kind, kind])} />
        <Field label="Bank fee in NGN" name="bank_fee" hint="What the bank kept of a payment, as a part of the amount." />
        <Field label="Withheld tax in NGN" name="withheld_tax" hint="What the partner withheld of a payment, as a part of the amount." />
        <Field label="Reason" name="reason" hint="Required for goodwill and corrections." />
      </ActForm>
    </section>
  );
}

function ReversalForm({ visit, path, partner: { company_name } }: Part): VNode {
  return (
    <section>
      <h2>Reverse a credit</h2>
      <ActForm
        visit={visit}
        action={`${path}/reversals`}
        label="Reverse"
        of={`a credit of ${company_name}`}
        asks="The amount is taken from the partner’s balance, and the statement shows it."
      >
        <Field label="Reference of the credit" name="credit_reference" required />
        <Field label="Amount in NGN" name="amount" hint="Empty: what is left of the credit." />
        <Field
          label="Reference of the reversal"
          name="reference"
          required
          hint="A reference is reversed once, however often it is submitted."
        />
        <Field label="Reason" name="reason" required />
      </ActForm>
    </section>
  );
}

function PayoutForm({ visit, path, partner: { wallet_balance, company_name } }: Part): VNode {
  return (
    <section>
      <h2>Pay out</h2>
      <ActForm
        visit={visit}
        action={`${path}/payouts`}
        label="Record the payout"
        of={`to ${company_name}`}
        asks="The amount is taken from the partner’s balance. Record only what the bank has paid."
      >
        <Field
          label="Amount in NGN"
          name="amount"
          required
          pattern="[0-9]+(\.[0-9]{1,2})?"
          hint={`What was paid to the partner’s bank; at most ${nairaText(wallet_balance)}.`}
        />
        <Field
          label="Reference of the payout"
          name="reference"
          required
          hint="The bank’s reference. A reference is paid out once, however often it is submitted."
        />
        <Field label="Reason" name="reason" required />
      </ActForm>
    </section>
  );
}

function SectionsForm({ visit, path, partner: { optional_sections } }: Part): VNode {
  return (
    <section>
      <h2>Optional sections</h2>
      <ActForm visit={visit} action={`${path}/sections`} label="Set the sections">
        <Checks legend="In addition to the mandatory ones of its type" name="section" values={SECTIONS} checked={optional_sections} />
      </ActForm>
    </section>
  );
}

function AllowListForm({ visit, path, partner: { ip_allow_list } }: Part): VNode {
  const hint = 'One a line, such as 203.0.113.0/24. Empty: every address.';
  return (
    <section>
      <h2>Allow-list</h2>
      <ActForm visit={visit} action={`${path}/allow-list`} label="Set the allow-list">
        <Field label="Addresses and networks" name="cidrs" rows={4} value={ip_allow_list.join('\n')} hint={hint} />
      </ActForm>
    </section>
  );
}
