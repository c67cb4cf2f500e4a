import { type VNode } from 'preact';
import { type JournalLineView, type JournalView } from '../../../contexts/accounting/books/journal.dto.js';
import { type PrepaidPartner, type PrepaidView } from '../../../contexts/accounting/prepaid/prepaid.dto.js';
import { type RevenueGroupView, type RevenueView } from '../../../contexts/accounting/books/revenue.dto.js';
import { REVENUE_GROUPS, type RevenueGroup } from '../../../contexts/accounting/domain/revenue.js';
import { pathOf, queryOf, type QueryValues } from '../../admin-api.js';
import { Choice, Field, Filters } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Term } from '../../components/term.js';
import { Code, Count, Money, Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { BOOKS_PATH, BooksLinks, ModeChoice } from './trial-balance-screen.js';

export const REVENUE_PATH = `${BOOKS_PATH}/revenue`;
const JOURNAL_PATH = `${BOOKS_PATH}/journal`;
export const PREPAID_PATH = `${BOOKS_PATH}/prepaid`;

interface ReportProps {
  readonly path: string;
  readonly filters: VNode;
  /** The query of the report, which its file has, too. */
  readonly query: QueryValues;
  readonly facts: VNode;
  readonly rows: VNode;
}

/** A report with the fields that choose it, and the same as a file. */
function Report({ path, filters, query, facts, rows }: ReportProps): VNode {
  return (
    <>
      <BooksLinks />
      <Filters action={path}>{filters}</Filters>
      {facts}
      <p class="pages">
        <a href={`${path}.csv${queryOf(query)}`}>Save as CSV</a>
      </p>
      {rows}
    </>
  );
}

function Days({ visit }: { readonly visit: Visit }): VNode {
  return (
    <>
      <Field label="From (UTC)" name="from" type="date" value={visit.query.from} />
      <Field label="To (UTC)" name="to" type="date" value={visit.query.to} />
    </>
  );
}

const daysOf = ({ from, to }: { readonly from: string | null; readonly to: string }): string =>
  from === null ? `up to ${to}` : `from ${from} to ${to}`;

const amount = (value: RevenueGroupView['net']): VNode => <Money amount={Number(value)} />;

const partner = (id: string): VNode => (
  <a href={`/console${pathOf`/partners/${id}`}`}>
    <Code cut={13}>{id}</Code>
  </a>
);

const GROUP_COLUMNS: { readonly [Group in RevenueGroup]: Column<RevenueGroupView> } = {
  section: { head: 'Section', leads: true, cell: ({ section = '' }) => <Term>{section}</Term> },
  partner: { head: 'Partner', leads: true, cell: ({ partner: id = '' }) => partner(id) },
  month: { head: 'Month', leads: true, cell: ({ month = '' }) => month },
  day: { head: 'Day (UTC)', leads: true, cell: ({ day = '' }) => day },
};

/** The amounts of a group. The first line of a card has room for two values. */
const revenueColumns = (groups: number): readonly Column<RevenueGroupView>[] => [
  { head: 'Lookups', numeric: true, cell: ({ lookups }) => <Count value={lookups} /> },
  { head: 'Net', numeric: true, cell: ({ net }) => amount(net) },
  { head: 'VAT', numeric: true, cell: ({ vat }) => amount(vat) },
  { head: 'Gross', numeric: true, leads: groups === 1, cell: ({ gross }) => amount(gross) },
  { head: 'Given back', numeric: true, cell: ({ refunds }) => amount(refunds) },
];

/** The revenue of a period by section, partner, month or day. */
export function revenueScreen(visit: Visit, revenue: RevenueView): Screen {
  const { mode, by, groups } = revenue;
  const { from, to } = visit.query;
  return {
    title: 'Revenue',
    area: 'books',
    body: (
      <Report
        path={REVENUE_PATH}
        query={{ mode, from, to, by: by.join(',') }}
        filters={
          <>
            <ModeChoice mode={mode} />
            <Days visit={visit} />
            <Choice
              label="By"
              name="by"
              value={by.join(',')}
              options={[...REVENUE_GROUPS, 'section,month', 'day,partner'].map((each) => [each, each])}
            />
          </>
        }
        facts={
          <Facts
            facts={[
              ['Mode', mode],
              ['Period (UTC)', daysOf(revenue)],
            ]}
          />
        }
        rows={
          <Table
            label="Revenue"
            columns={[...by.map((group) => GROUP_COLUMNS[group]), ...revenueColumns(by.length)]}
            rows={groups}
            empty={`There was no ${mode} revenue in this period. Choose other days, or the other mode.`}
          />
        }
      />
    ),
  };
}

const PREPAID_COLUMNS: readonly Column<PrepaidPartner>[] = [
  { head: 'Customer', cell: ({ customer_number }) => customer_number ?? '' },
  { head: 'Partner', leads: true, cell: ({ partner: id }) => partner(id) },
  { head: 'Balance', numeric: true, leads: true, cell: ({ balance }) => amount(balance) },
  { head: 'Up to 30 days', numeric: true, cell: ({ age_0_30 }) => amount(age_0_30) },
  { head: '31 to 90', numeric: true, cell: ({ age_31_90 }) => amount(age_31_90) },
  { head: '91 to 180', numeric: true, cell: ({ age_91_180 }) => amount(age_91_180) },
  { head: 'Over 180', numeric: true, cell: ({ age_over_180 }) => amount(age_over_180) },
  { head: 'Last payment (UTC)', cell: ({ last_payment_at }) => <Time at={last_payment_at} /> },
  { head: 'Last lookup (UTC)', cell: ({ last_lookup_at }) => <Time at={last_lookup_at} /> },
];

/** The partners' balances by the age of their money. */
export function prepaidScreen(visit: Visit, { mode, at, partners }: PrepaidView): Screen {
  return {
    title: 'Prepaid money',
    area: 'books',
    body: (
      <Report
        path={PREPAID_PATH}
        query={{ mode, at: visit.query.at }}
        filters={
          <>
            <ModeChoice mode={mode} />
            <Field label="At the end of (UTC)" name="at" type="date" value={visit.query.at} />
          </>
        }
        facts={
          <Facts
            facts={[
              ['Mode', mode],
              ['Counted until (UTC)', <Time at={at} />],
            ]}
          />
        }
        rows={
          <Table
            label="Prepaid money"
            columns={PREPAID_COLUMNS}
            rows={partners}
            empty={`No ${mode} partner had a balance by then. Choose a later day or the other mode, or credit a partner’s wallet.`}
          />
        }
      />
    ),
  };
}

const JOURNAL_COLUMNS: readonly Column<JournalLineView>[] = [
  { head: 'Day (UTC)', leads: true, cell: ({ date }) => date },
  { head: 'Account', leads: true, cell: ({ account }) => <Code>{account}</Code> },
  { head: 'Code', cell: ({ code }) => code ?? '' },
  { head: 'Debit', numeric: true, cell: ({ debit }) => amount(debit) },
  { head: 'Credit', numeric: true, cell: ({ credit }) => amount(credit) },
];

/** The journal of a period by day; its entries are in the file. */
export function journalScreen(visit: Visit, journal: JournalView): Screen {
  const { mode, lines } = journal;
  const { from, to } = visit.query;
  return {
    title: 'Journal',
    area: 'books',
    body: (
      <Report
        path={JOURNAL_PATH}
        query={{ mode, from, to, by: 'day' }}
        filters={
          <>
            <ModeChoice mode={mode} />
            <Days visit={visit} />
          </>
        }
        facts={
          <Facts
            facts={[
              ['Mode', mode],
              ['Period (UTC)', daysOf(journal)],
              ['Every entry', <a href={`${JOURNAL_PATH}.csv${queryOf({ mode, from, to, by: 'entry' })}`}>Save all entries as CSV</a>],
            ]}
          />
        }
        rows={
          <Table
            label="Journal by day"
            columns={JOURNAL_COLUMNS}
            rows={lines}
            empty={`No ${mode} account moved in this period. Choose other days, or the other mode.`}
          />
        }
      />
    ),
  };
}
