import { type FiguresView } from '../../../contexts/figures/figures.dto.js';
import { GetFigures } from '../../../contexts/figures/get-figures.query.js';
import { GetRunningOut } from '../../../contexts/accounting/prepaid/get-running-out.query.js';
import { ListEndpoints } from '../../../contexts/webhooks/endpoints/list-endpoints.query.js';
import { type MaintenanceState } from '../../../contexts/maintenance/maintenance.dto.js';
import { utcOf } from '../../form.js';
import { type Routes } from '../../screen.js';
import { type ServiceState } from '../../service-state.js';
import { addMoneyScreen } from './money-screen.js';
import { MOST_COUNTED, OverviewPart, periodIn } from './overview-part.js';
import { RUNNING_OUT, overviewScreen } from './overview-screen.js';

const EVERY_MS = 5_000;
const FAILING = new ListEndpoints({ failing: true }, MOST_COUNTED);

/** The first page: the figures of all processes, which are sent again while the page is open, and what needs attention. */
export function addOverviewScreens(routes: Routes, service: ServiceState): void {
  routes.screen('/', async (visit) => {
    const { api, queries, query } = visit;
    const [state, figures, failing, runningOut, { maintenance }] = await Promise.all([
      service.read(),
      api.get<FiguresView>('/figures', { period: periodIn(query) }),
      queries.execute(FAILING),
      queries.execute(new GetRunningOut(RUNNING_OUT)),
      api.get<MaintenanceState>('/maintenance'),
    ]);
    return overviewScreen(visit, { state, figures, failing, runningOut, maintenance });
  });
  routes.act('/maintenance/begin', async ({ api }, form) => {
    await api.put('/maintenance', { reason: form.text('reason'), until: utcOf(form.optional('until')) });
    return { goTo: '/console', notice: 'No instance accepts changes any more. Those that were accepted before finish within 20 seconds.' };
  });

  routes.act('/maintenance/end', async ({ api }) => {
    await api.delete('/maintenance');
    return { goTo: '/console', notice: 'Maintenance is over: every instance accepts all calls.' };
  });

  routes.live('/live/overview', EVERY_MS, async ({ queries, query }) => {
    const [state, figures, failing] = await Promise.all([
      service.read(),
      queries.execute(new GetFigures(periodIn(query))),
      queries.execute(FAILING),
    ]);
    return { html: OverviewPart({ state, figures, failing }) };
  });

  addMoneyScreen(routes);
}
