import { type VNode } from 'preact';
import { type PrepaidView } from '../../../contexts/accounting/prepaid/prepaid.dto.js';
import { type RevenueGroupView, type RevenueView } from '../../../contexts/accounting/books/revenue.dto.js';
import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { pathOf, queryOf } from '../../admin-api.js';
import { Filters } from '../../components/form.js';
import { Chart } from '../../components/live.js';
import { type Column, Table } from '../../components/table.js';
import { Count, Money } from '../../components/text.js';
import { type Routes, type Screen } from '../../screen.js';
import { PREPAID_PATH, REVENUE_PATH } from '../books/reports-screen.js';
import { ModeChoice } from '../books/trial-balance-screen.js';
import { dayBefore, firstDayOf, type MoneyOfDays, moneyOfDays, sumOf } from './money-of-days.js';
import { Card } from './overview-part.js';

const PATH = '/console/money';
/** Partners that the page lists. */
const TOP = 10;

interface TopPartner {
  readonly revenue: RevenueGroupView;
  readonly company: string;
  readonly balance: number;
}

interface Shown {
  readonly mode: string;
  readonly today: string;
  readonly money: MoneyOfDays;
  readonly prepaid: PrepaidView;
  /** The partners with the highest revenue of the thirty days and of today, highest first. */
  readonly partners: readonly TopPartner[];
}

/** Adds the page of the service's money: revenue, prepaid balances and the partners that pay most, from the books. */
export function addMoneyScreen(routes: Routes): void {
  routes.screen('/money', async ({ api, query }) => {
    const prepaid = await api.get<PrepaidView>('/ledger/prepaid', { mode: query.mode });
    const { mode } = prepaid;
    const today = prepaid.at.slice(0, 10);
    const revenue = (from: string, to: string, by: string) => api.get<RevenueView>('/ledger/revenue', { mode, from, to, by });
    const [days, partners] = await Promise.all([revenue(firstDayOf(today), today, 'day'), revenue(dayBefore(today, 30), today, 'partner')]);
    const top = [...partners.groups].sort((a, b) => Number(b.gross) - Number(a.gross)).slice(0, TOP);
    const balances = new Map(prepaid.partners.map(({ partner, balance }) => [partner, balance]));
    const named = top.map(async (group): Promise<TopPartner> => {
      const { partner = '' } = group;
      const { company_name: company } = await api.get<PartnerView>(pathOf`/partners/${partner}`);
      return { revenue: group, company, balance: balances.get(partner) ?? 0 };
    });
    return moneyScreen({ mode, today, money: moneyOfDays(today, days.groups), prepaid, partners: await Promise.all(named) });
  });
}

const COLUMNS: readonly Column<TopPartner>[] = [
  {
    head: 'Company',
    leads: true,
    cell: ({ revenue: { partner = '' }, company }) => <a href={`/console${pathOf`/partners/${partner}`}`}>{company}</a>,
  },
  { head: 'Revenue', numeric: true, leads: true, cell: ({ revenue }) => <Money amount={Number(revenue.gross)} /> },
  { head: 'Given back', numeric: true, cell: ({ revenue: { refunds } }) => <Money amount={Number(refunds)} /> },
  { head: 'Lookups', numeric: true, cell: ({ revenue: { lookups } }) => <Count value={lookups} /> },
  { head: 'Prepaid balance', numeric: true, cell: ({ balance }) => <Money amount={balance} /> },
];

function Cards({ mode, today, money, prepaid }: Omit<Shown, 'partners'>): VNode {
  const period = { mode, from: dayBefore(today, 30), to: dayBefore(today, 1) };
  const old = sumOf(prepaid.partners.map(({ age_over_180: age }) => age));
  return (
    <div class="cards">
      <Card name="Revenue" note="30 whole days before today, with VAT" href={`${REVENUE_PATH}${queryOf({ ...period, by: 'day' })}`}>
        <Money amount={money.gross} />
      </Card>
      <Card name="Given back" note="30 whole days before today, already taken off the revenue">
        <Money amount={money.refunds} />
      </Card>
      <Card name="Revenue today" note={`${today} (UTC) so far, with VAT`}>
        <Money amount={money.today} />
      </Card>
      <Card name="Revenue this month" note={`${today.slice(0, 7)} (UTC) up to now, with VAT`}>
        <Money amount={money.month} />
      </Card>
      <Card
        name="Prepaid balances"
        note={`now; partners with a balance: ${prepaid.partners.length}`}
        href={`${PREPAID_PATH}${queryOf({ mode })}`}
      >
        <Money amount={sumOf(prepaid.partners.map(({ balance }) => balance))} />
      </Card>
      <Card name="Prepaid for over 180 days" note="part of the prepaid balances" href={`${PREPAID_PATH}${queryOf({ mode })}`}>
        <Money amount={old} />
      </Card>
    </div>
  );
}

function moneyScreen({ mode, today, money, prepaid, partners }: Shown): Screen {
  const { days } = money;
  return {
    title: 'Money',
    area: 'overview',
    modules: ['charts'],
    body: (
      <>
        <p class="pages">
          <a href="/console">Overview</a>
        </p>
        <Filters action={PATH}>
          <ModeChoice mode={mode} />
        </Filters>
        <Cards mode={mode} today={today} money={money} prepaid={prepaid} />
        <Chart
          label="Revenue and what was given back, by day"
          times={days.map(({ day }) => Date.parse(day) / 1_000)}
          unit="naira"
          stepped
          lines={[
            { label: 'Revenue', values: days.map(({ gross }) => gross) },
            { label: 'Given back', values: days.map(({ refunds }) => refunds) },
          ]}
        />
        <h2>Top partners</h2>
        <p class="soft">{`At most ${TOP} partners, by their revenue in the 30 days before today and today so far, with VAT.`}</p>
        <Table
          label="Partners with the highest revenue"
          columns={COLUMNS}
          rows={partners}
          empty={`There was no ${mode} revenue since ${dayBefore(today, 30)}.`}
        />
      </>
    ),
  };
}
