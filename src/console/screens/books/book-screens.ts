import { type Checkpoints, type CheckpointView } from '../../../contexts/evidence/checkpoints/checkpoint-responses.dto.js';
import { type WitnessesView } from '../../../contexts/evidence/log-browser/log-events.dto.js';
import { type LedgerEntryView } from '../../../contexts/accounting/posting/ledger-entries.dto.js';
import { type JournalView } from '../../../contexts/accounting/books/journal.dto.js';
import { type PrepaidView } from '../../../contexts/accounting/prepaid/prepaid.dto.js';
import { type RevenueView } from '../../../contexts/accounting/books/revenue.dto.js';
import { type TrialBalanceView } from '../../../contexts/accounting/books/ledger.dto.js';
import { type ClosedPeriodView, type PeriodsView, type PeriodView } from '../../../contexts/accounting/closing/periods.dto.js';
import { monthOf } from '../../../contexts/accounting/domain/month.js';
import { AdminApiError, pathOf, queryOf } from '../../admin-api.js';
import { partnerIdIn, partnersNamed } from '../../components/partner-field.js';
import { nairaText } from '../../components/text.js';
import { type Form } from '../../form.js';
import { type Done, type Routes, type Visit } from '../../screen.js';
import { addReconciliationScreens } from './bank-reconciliation.js';
import { CHECKPOINTS_PATH, checkpointsScreen } from './checkpoints-screen.js';
import { LEDGER_ENTRY_PATH, ledgerEntryScreen } from './ledger-entry-screen.js';
import { closableIn, daysOfMonth, MONTHS_PATH, monthsScreen } from './months-screen.js';
import { journalScreen, prepaidScreen, revenueScreen } from './reports-screen.js';
import { statementRunsScreen } from './statement-runs-screen.js';
import { trialBalanceScreen } from './trial-balance-screen.js';

const PER_PAGE = 50;

/** The trial balance, the reports, the checkpoints and the reconciliation with the bank. */
export function addBookScreens(routes: Routes): void {
  routes.screen('/books', async (visit) => {
    const { mode, from, to } = visit.query;
    const books = await visit.api.get<TrialBalanceView>('/ledger/trial-balance', { mode, from, to });
    return trialBalanceScreen(visit, books, await statusOf(visit), await partnersNamed(visit, ''));
  });

  routes.screen('/books/months', async (visit) => {
    const { mode } = visit.query;
    const months = await visit.api.get<PeriodsView>('/ledger/periods', { mode });
    const next = closableIn(months);
    const days = next && { mode: months.mode, ...daysOfMonth(next.period) };
    return monthsScreen(visit, months, days && (await visit.api.get<TrialBalanceView>('/ledger/trial-balance', days)));
  });

  routes.act('/books/months', closeMonth);

  routes.download('/books/months.csv', ({ api, query: { mode } }) => api.stream('/ledger/periods', { mode, format: 'csv' }));

  routes.screen('/books/revenue', async (visit) => {
    const { mode, from, to, by } = visit.query;
    return revenueScreen(visit, await visit.api.get<RevenueView>('/ledger/revenue', { mode, from, to, by }));
  });

  routes.screen('/books/journal', async (visit) => {
    const { mode, from, to } = visit.query;
    return journalScreen(visit, await visit.api.get<JournalView>('/ledger/journal', { mode, from, to, by: 'day' }));
  });

  routes.screen('/books/prepaid', async (visit) => {
    const { mode, at } = visit.query;
    return prepaidScreen(visit, await visit.api.get<PrepaidView>('/ledger/prepaid', { mode, at }));
  });

  for (const report of ['revenue', 'journal', 'prepaid'])
    routes.download(`/books/${report}.csv`, ({ api, query: { mode, from, to, by, at } }) =>
      api.stream(`/ledger/${report}`, { mode, from, to, by, at, format: 'csv' }),
    );

  routes.screen('/books/checkpoints', async (visit) => {
    const { cursor } = visit.query;
    const [checkpoints, witnesses] = await Promise.all([
      visit.api.get<Checkpoints>('/checkpoints', { limit: PER_PAGE, cursor }),
      visit.api.get<WitnessesView>('/witnesses'),
    ]);
    return checkpointsScreen(visit, checkpoints, witnesses);
  });

  routes.act('/books/checkpoints', async ({ api }) => {
    const { number } = await api.post<CheckpointView>('/checkpoints');
    return { goTo: CHECKPOINTS_PATH, notice: `Checkpoint ${number} is made and signed.` };
  });

  routes.screen('/books/entries', (visit) => ledgerEntryScreen(visit));

  routes.act('/books/entries', async ({ api }, form) => {
    const optional = {
      amount: form.number('amount'),
      account: form.optional('account'),
      of: form.optional('of'),
      date: form.optional('date'),
    };
    const sent = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
    const required = { mode: form.text('mode'), kind: form.text('kind'), reference: form.text('reference'), reason: form.text('reason') };
    const { created, kind, amount, date } = await api.post<LedgerEntryView>('/ledger/entries', { ...required, ...sent });
    const notice = created ? 'The entry is posted' : 'This entry was posted before, so nothing changed';
    return { goTo: LEDGER_ENTRY_PATH, notice: `${notice}: ${kind}, ${nairaText(amount)}, ${date}.` };
  });

  addStatementScreens(routes);
  addReconciliationScreens(routes);
}

/** Returns the status of the month whose days are asked for; undefined for other days, and for a month that the books do not have. */
async function statusOf({ api, query: { mode, from, to } }: Visit): Promise<PeriodView['status'] | undefined> {
  const month = monthOf(from?.slice(0, 'yyyy-mm'.length) ?? '');
  if (!month || from !== daysOfMonth(month.name).from || to !== daysOfMonth(month.name).to) return undefined;
  const { periods } = await api.get<PeriodsView>('/ledger/periods', { mode });
  return periods.find(({ period }) => period === month.name)?.status;
}

async function closeMonth({ api }: Visit, form: Form): Promise<Done> {
  const [mode, period] = [form.text('mode'), form.text('period')];
  try {
    const { created } = await api.post<ClosedPeriodView>(pathOf`/ledger/periods/${period}/close`, { mode });
    const notice = created ? `The month ${period} is closed.` : `The month ${period} was closed before, so nothing changed.`;
    return { goTo: `${MONTHS_PATH}${queryOf({ mode })}`, notice };
  } catch (error) {
    if (!(error instanceof AdminApiError) || typeof error.data.open_charges !== 'number') throw error;
    throw new AdminApiError(error.status, error.code, `${error.message} Open charges: ${error.data.open_charges}.`, error.data);
  }
}

function addStatementScreens(routes: Routes): void {
  routes.screen('/books/statements', async (visit) => {
    const { mode } = visit.query;
    return statementRunsScreen(visit, await visit.api.get<PeriodsView>('/ledger/periods', { mode }));
  });

  routes.download('/books/statements/:month', ({ api, params: { month = '' }, query: { mode, format } }) =>
    api.stream(pathOf`/ledger/periods/${month}/statements`, { mode, format }),
  );

  routes.act('/books/statement', async (visit, form) => {
    const [partner, month] = [await partnerIdIn(visit, form.text('partner_id')), form.text('month')];
    return { goTo: `/console${pathOf`/wallets/${partner}/statements/${month}`}`, notice: `Statement of ${month}.` };
  });
}
