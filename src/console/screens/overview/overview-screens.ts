import { type PartnerList } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type ProjectionList } from '../../../contexts/rebuilding/projections.dto.js';
import { type MaintenanceState } from '../../../contexts/maintenance/maintenance.dto.js';
import { utcOf } from '../../form.js';
import { type Routes } from '../../screen.js';
import { OverviewPart } from './overview-part.js';
import { LOWEST, overviewScreen } from './overview-screen.js';
import { type OverviewSource } from './overview-source.js';

const EVERY_MS = 5_000;

/** The first page: the state of the service, which is sent again while the page is open, and what needs attention. */
export function addOverviewScreens(routes: Routes, source: OverviewSource): void {
  routes.screen('/', async (visit) => {
    const { api } = visit;
    const [reading, { partners }, { projections }, { maintenance }] = await Promise.all([
      source.read(),
      api.get<PartnerList>('/partners', { sort: 'balance', status: 'active', limit: LOWEST }),
      api.get<ProjectionList>('/projections'),
      api.get<MaintenanceState>('/maintenance'),
    ]);
    return overviewScreen(visit, { reading, partners, projections, maintenance });
  });
  routes.act('/maintenance/begin', async ({ api }, form) => {
    await api.put('/maintenance', { reason: form.text('reason'), until: utcOf(form.optional('until')) });
    return { goTo: '/console', notice: 'No instance accepts changes any more. Those that were accepted before finish within 20 seconds.' };
  });

  routes.act('/maintenance/end', async ({ api }) => {
    await api.delete('/maintenance');
    return { goTo: '/console', notice: 'Maintenance is over: every instance accepts all calls.' };
  });

  routes.live('/live/overview', EVERY_MS, async () => ({ html: OverviewPart({ reading: await source.read() }) }));
}
