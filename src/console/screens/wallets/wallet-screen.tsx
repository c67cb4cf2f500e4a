import { type VNode } from 'preact';
import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import {
  type ManagedEntryView,
  type WalletBalance,
  type WalletBalances,
  type WalletEntries,
  type WalletVerificationView,
} from '../../../contexts/wallet/wallet-responses.dto.js';
import { pathOf, queryOf } from '../../admin-api.js';
import { WALLET_EVENT_TYPES } from '../../../contexts/wallet/domain/events.js';
import { Term } from '../../components/term.js';
import { nameOfTerm } from '../../names.js';
import { Choice, Field, Filters } from '../../components/form.js';
import { Chart } from '../../components/live.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Badge, Code, Count, Empty, Money, Notice, Time } from '../../components/text.js';
import { type Screen } from '../../screen.js';

const MILLISECONDS = 1_000;

const ENTRIES: readonly Column<ManagedEntryView>[] = [
  { head: 'Revision', numeric: true, cell: ({ revision }) => <Count value={revision} /> },
  { head: 'Recorded (UTC)', leads: true, cell: ({ recorded_at }) => <Time at={recorded_at} /> },
  { head: 'Entry', cell: ({ type }) => <Term>{type}</Term> },
  {
    head: 'Amount',
    numeric: true,
    leads: true,
    cell: ({ amount }) => (amount === 0 ? <span class="soft">–</span> : <Money amount={amount} />),
  },
  { head: 'Balance', numeric: true, cell: ({ balance_after }) => <Money amount={balance_after} /> },
  {
    head: 'Lookup',
    cell: ({ lookup_id }) =>
      lookup_id === null ? null : (
        <a class="unbroken" href={`/console${pathOf`/lookups/${lookup_id}`}`}>
          <Code cut={14}>{lookup_id}</Code>
        </a>
      ),
  },
  { head: 'Reference or reason', cell: ({ reference, reason }) => [reference, reason].filter((text) => text !== null).join(': ') },
  { head: 'By', cell: ({ actor }) => actor ?? <span class="soft">–</span> },
  {
    head: 'Hash',
    cell: ({ hash }) => (
      <span class="unbroken">
        <Code cut={14}>{hash}</Code>
      </span>
    ),
  },
];

/** The fields of the filter of entries; an amount is compared without its sign. */
interface EntryFilterFields {
  readonly type?: string | undefined;
  readonly since?: string | undefined;
  readonly before?: string | undefined;
  readonly rupa_id?: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface ShownWallet {
  readonly partner: PartnerView;
  readonly now: WalletBalance;
  /** A page of the entries, newest first. */
  readonly entries: WalletEntries;
  readonly balances: WalletBalances;
  /** The period of the chart, as it was asked for. */
  readonly period: Period;
  /** The filter of the entries, as it was asked for. */
  readonly filter: EntryFilterFields;
  /** Revision at which the page was asked to begin. */
  readonly last: string | undefined;
  /** The balance at a time that was asked for. */
  readonly then?: { readonly balance: number; readonly at: string } | undefined;
}

/** A wallet with its balance over time and a page of its entries. */
export function walletScreen({
  partner,
  now: { balance, revision },
  entries: page,
  balances,
  period,
  filter,
  last,
  then,
}: ShownWallet): Screen {
  const { partner_id, company_name, mode } = partner;
  const { entries, next } = page;
  const path = `/console${pathOf`/wallets/${partner_id}`}`;
  return {
    title: `Wallet of ${company_name}`,
    area: 'partners',
    modules: ['charts'],
    body: (
      <>
        <Facts
          facts={[
            ['Balance', <Money amount={balance} />],
            ['Entries', <Count value={(revision ?? -1) + 1} />],
            ['Mode', <Badge tone={mode === 'live' ? 'plain' : 'warn'}>{mode}</Badge>],
            ['Period of the entries below (UTC)', <EntriesPeriod entries={entries} />],
            ['Partner', <a href={`/console${pathOf`/partners/${partner_id}`}`}>{company_name}</a>],
          ]}
        />
        {then === undefined ? null : (
          <Notice tone="plain">
            The balance at <Time at={new Date(then.at).toISOString()} /> was <Money amount={then.balance} />.
          </Notice>
        )}
        <BalanceChart balances={balances} path={path} period={period} />
        <h2 id="entries">Entries</h2>
        <EntryFilters path={path} filter={filter} period={period} />
        <Table label="Entries" columns={ENTRIES} rows={entries} empty={emptySentence(filter, next)} />
        <p class="pages">
          {next === null ? null : <a href={`${path}${queryOf({ ...period, ...filter, last: next })}`}>Older entries</a>}
          {last === undefined ? null : <a href={`${path}${queryOf({ ...period, ...filter })}`}>Newest entries</a>}
        </p>
        <Papers path={path} partnerId={partner_id} />
      </>
    ),
  };
}

function EntriesPeriod({ entries }: Pick<WalletEntries, 'entries'>): VNode {
  return (
    <>
      <Time at={entries.at(-1)?.recorded_at} /> to <Time at={entries[0]?.recorded_at} />
    </>
  );
}

const TYPES = [['', 'every entry'] as const, ...WALLET_EVENT_TYPES.map((type) => [type, nameOfTerm(type)] as const)];
const AMOUNT = '[0-9]+(\\.[0-9]{1,2})?';

interface EntryFiltersProps {
  readonly path: string;
  readonly filter: EntryFilterFields;
  readonly period: Period;
}

function EntryFilters({ path, filter, period: { from, to } }: EntryFiltersProps): VNode {
  const { type, since, before, rupa_id, min, max } = filter;
  return (
    <Filters action={path}>
      {from ? <input type="hidden" name="from" value={from} /> : null}
      {to ? <input type="hidden" name="to" value={to} /> : null}
      <Choice label="Entry" name="type" value={type} options={TYPES} />
      <Field label="Recorded from (UTC)" name="since" type="datetime-local" value={since} />
      <Field label="Recorded before (UTC)" name="before" type="datetime-local" value={before} />
      <Field label="Rupa id" name="rupa_id" value={rupa_id} placeholder="rp-" />
      <Field label="At least (NGN)" name="min" value={min} pattern={AMOUNT} />
      <Field label="At most (NGN)" name="max" value={max} pattern={AMOUNT} />
    </Filters>
  );
}

function emptySentence(filter: EntryFilterFields, next: number | null): string {
  if (!Object.values(filter).some(Boolean)) return 'This wallet has no entries. Credit it on the partner’s page.';
  return next === null
    ? 'No entry matches. Clear a filter, or choose a longer time.'
    : 'None of the 20,000 entries that were looked through matches. Go on with older entries, or choose a time.';
}

interface BalanceChartProps {
  readonly balances: WalletBalances;
  readonly path: string;
  readonly period: Period;
}

function BalanceChart({ balances: { balances, every }, path, period: { from, to } }: BalanceChartProps): VNode | null {
  const chosen = [from, to].some(Boolean);
  if (balances.length < 2 && !chosen) return null;
  return (
    <section>
      {balances.length < 2 ? (
        <Empty>The wallet had no two entries in this period. Choose a longer one.</Empty>
      ) : (
        <Chart
          label={every === 1 ? 'Balance over time' : `Balance over time, after every ${ordinal(every)} entry`}
          unit="naira"
          stepped
          times={balances.map(({ recorded_at }) => Date.parse(recorded_at) / MILLISECONDS)}
          lines={[{ label: 'Balance', values: balances.map(({ balance }) => balance) }]}
        />
      )}
      <Filters action={path}>
        <Field label="From (UTC)" name="from" type="date" value={from} />
        <Field label="To (UTC)" name="to" type="date" value={to} />
      </Filters>
    </section>
  );
}

function ordinal(number: number): string {
  const tens = number % 100;
  const suffix = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${suffix}`;
}

function Papers({ path, partnerId }: { readonly path: string; readonly partnerId: string }): VNode {
  return (
    <div class="columns">
      <section>
        <h2>Balance at a time</h2>
        <form method="get" action={path} class="act">
          <Field label="Time (UTC)" name="at" type="datetime-local" required />
          <button>Show</button>
        </form>
      </section>
      <section>
        <h2>Statement</h2>
        <form method="get" action={`${path}/statements`} class="act">
          <Field
            label="Month"
            name="month"
            required
            placeholder="2026-03"
            pattern="[0-9]{4}-[0-9]{2}"
            hint="A page to print, such as 2026-03."
          />
          <button>Open the statement</button>
          <button name="format" value="pdf">
            Download the PDF
          </button>
        </form>
      </section>
      <section class="unprinted">
        <h2>Proof</h2>
        <p>
          <a href={`${path}/export`} download={`wallet-${partnerId}.jsonl`}>
            Download the export
          </a>
          , which anybody can check with docs/audit.md in hand.
        </p>
        <p>
          <a href={`/console/verify?partner=${encodeURIComponent(partnerId)}`}>Verify it in this browser</a>
        </p>
        <p>
          <a href={`${path}/verification`}>Let the server verify the wallet</a>
        </p>
      </section>
    </div>
  );
}

/** The result of the server's own verification. */
export function verificationScreen({ partner_id, company_name }: PartnerView, verification: WalletVerificationView): Screen {
  const { ok, entries, head, open_charges, fault } = verification;
  return {
    title: `Verification of ${company_name}`,
    area: 'partners',
    body: (
      <>
        {ok ? (
          <Notice tone="good">Every rule holds: {entries} entries, from the first to the head.</Notice>
        ) : (
          <Notice tone="bad">
            {fault ? `Revision ${fault.revision}: ${fault.message} (${fault.rule})` : 'The wallet could not be verified.'}
          </Notice>
        )}
        <Facts
          facts={[
            ['Entries', <Count value={entries} />],
            ['Open charges', <Count value={open_charges} />],
            ['Head', head ? <Code>{`${head.revision}:${head.hash}`}</Code> : '–'],
          ]}
        />
        <p>Note the head. A later verification with it shows that nothing before it was changed.</p>
        <p>
          <a href={`/console${pathOf`/wallets/${partner_id}`}`}>Back to the wallet</a>
        </p>
      </>
    ),
  };
}
