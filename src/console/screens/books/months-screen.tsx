import { type VNode } from 'preact';
import { type TrialBalanceView } from '../../../contexts/accounting/books/ledger.dto.js';
import { type PeriodsView, type PeriodView } from '../../../contexts/accounting/closing/periods.dto.js';
import { dayBefore } from '../../../contexts/accounting/domain/books-period.js';
import { closableFrom, monthAt } from '../../../contexts/accounting/domain/month.js';
import { queryOf } from '../../admin-api.js';
import { ActForm, Filters } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Badge, Count, Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { BOOKS_PATH, BooksLinks, ModeChoice } from './trial-balance-screen.js';

export const MONTHS_PATH = `${BOOKS_PATH}/months`;

/** Returns the first and the last day of a month. */
export function daysOfMonth(period: string): { readonly from: string; readonly to: string } {
  const { from, until } = monthAt(period);
  return { from: from.slice(0, 10), to: dayBefore(until.slice(0, 10)) };
}

const COLUMNS: readonly Column<PeriodView>[] = [
  {
    head: 'Month (UTC)',
    cell: ({ period, mode }) => (
      <span class="unbroken">
        <a href={`${BOOKS_PATH}${queryOf({ mode, ...daysOfMonth(period) })}`}>{period}</a>
      </span>
    ),
  },
  { head: 'Status', cell: ({ status }) => <Badge tone={status === 'closed' ? 'good' : 'warn'}>{status}</Badge> },
  { head: 'Closed at (UTC)', cell: ({ closed_at }) => <Time at={closed_at} /> },
  { head: 'Closed by', cell: ({ closed_by }) => closed_by ?? '' },
  { head: 'Entries', numeric: true, cell: ({ entries }) => entries !== null && <Count value={entries} /> },
  { head: 'Event', numeric: true, cell: ({ index }) => index !== null && <Count value={index} /> },
];

/** Returns the month that is to be closed next; undefined while it is the present one, or if there is none. */
export function closableIn({ periods }: PeriodsView): PeriodView | undefined {
  return periods.slice(0, -1).find(({ status }) => status === 'open');
}

/** The months of the books, newest first, and the form that closes the next one. @param balance of the month to be closed next */
export function monthsScreen(visit: Visit, months: PeriodsView, balance: TrialBalanceView | undefined): Screen {
  const { mode, periods } = months;
  const next = closableIn(months);
  const query = { mode };
  return {
    title: 'Months',
    area: 'books',
    body: (
      <>
        <BooksLinks />
        <Filters action={MONTHS_PATH}>
          <ModeChoice mode={mode} />
        </Filters>
        <p>
          A closed month never changes: no ledger entry is dated into it any more, and its statements get their numbers. An administrator
          closes the months in their order.
        </p>
        {next && balance ? <NextMonth visit={visit} month={next} balance={balance} /> : <NothingToClose last={periods.at(-1)} />}
        <Facts
          facts={[
            ['Mode', mode],
            ['Period', periodOf(months)],
          ]}
        />
        <p class="pages">
          <a href={`${MONTHS_PATH}.csv${queryOf(query)}`}>Save as CSV</a>
        </p>
        <Table
          label="Months"
          columns={COLUMNS}
          rows={periods.toReversed()}
          empty={`The ${mode} books have no entry yet. Credit a partner’s wallet, or post a ledger entry.`}
        />
      </>
    ),
  };
}

/** Returns the months of the books in words. */
function periodOf({ periods }: PeriodsView): string {
  const [first, last] = [periods[0], periods.at(-1)];
  return first && last ? `${first.period} to ${last.period}` : 'no month yet';
}

interface NextMonthProps {
  readonly visit: Visit;
  readonly month: PeriodView;
  readonly balance: TrialBalanceView;
}

function NextMonth({ visit, month: { period, mode }, balance }: NextMonthProps): VNode {
  return (
    <>
      <h2>{`Next: ${period}`}</h2>
      <Facts
        facts={[
          ['Can be closed from (UTC)', <Time at={closableFrom(monthAt(period))} />],
          ['Accounts with a balance or a movement', <Count value={balance.accounts.length} />],
          ['Debits and credits', <Badge tone={balance.balanced ? 'good' : 'bad'}>{balance.balanced ? 'balanced' : 'not balanced'}</Badge>],
        ]}
      />
      <ActForm
        visit={visit}
        action={MONTHS_PATH}
        label={`Close ${period}`}
        asks="This cannot be undone: no later entry is dated into a closed month."
        word={period}
      >
        <input type="hidden" name="mode" value={mode} />
        <input type="hidden" name="period" value={period} />
        <p class="soft">
          Post what is missing first: later entries are dated into an open month. While charges of the month are still open, the month is
          not closed, and the page says how many there are.
        </p>
      </ActForm>
    </>
  );
}

function NothingToClose({ last }: { readonly last: PeriodView | undefined }): VNode | null {
  if (!last) return null;
  return (
    <p>
      No month is to be closed now. {last.period} can be closed from <Time at={closableFrom(monthAt(last.period))} /> (UTC) on.
    </p>
  );
}
