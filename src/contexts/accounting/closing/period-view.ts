import { ReportColumns } from '../books/report-formats.js';
import { kindOf } from '../domain/chart-of-accounts.js';
import { type ClosedAccount } from '../domain/events.js';
import { type CloseResult } from './close-period.command.js';
import { type Period, type Periods } from './get-periods.query.js';
import { type ClosedAccountView, type ClosedPeriodView, type PeriodsView, type PeriodView } from './periods.dto.js';

export function closedPeriodView({ closed, created }: CloseResult): ClosedPeriodView {
  const { period, mode, recorded_at, actor, accounts, entries, index } = closed;
  return { period, mode, closed_at: recorded_at, closed_by: actor, accounts: accountsView(accounts), entries, index, created };
}

/** The columns of the list of months; JSON has `accounts` beside them. */
export const PERIOD_COLUMNS = new ReportColumns<Period, Omit<PeriodView, 'accounts'>>({
  period: ({ period }) => period,
  mode: ({ mode }) => mode,
  status: ({ closed }) => (closed ? 'closed' : 'open'),
  closed_at: ({ closed }) => closed?.recorded_at ?? null,
  closed_by: ({ closed }) => closed?.actor ?? null,
  entries: ({ closed }) => closed?.entries ?? null,
  index: ({ closed }) => closed?.index ?? null,
});

export function periodsView({ mode, periods }: Periods): PeriodsView {
  return {
    mode,
    periods: periods.map((period) => ({ ...PERIOD_COLUMNS.view(period), accounts: period.closed && accountsView(period.closed.accounts) })),
  };
}

/** The columns of the totals that a month was closed with. */
export const CLOSED_ACCOUNT_COLUMNS = new ReportColumns<ClosedAccount, ClosedAccountView>({
  account: ({ account }) => account,
  kind: ({ account }) => kindOf(account),
  opening: ({ opening_kobo }) => ({ kobo: BigInt(opening_kobo) }),
  debit: ({ debit_kobo }) => ({ kobo: BigInt(debit_kobo) }),
  credit: ({ credit_kobo }) => ({ kobo: BigInt(credit_kobo) }),
  closing: ({ closing_kobo }) => ({ kobo: BigInt(closing_kobo) }),
});

function accountsView(accounts: readonly ClosedAccount[]): ClosedAccountView[] {
  return accounts.map((account) => CLOSED_ACCOUNT_COLUMNS.view(account));
}
