import { type PartnerList } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type ProjectionList } from '../../../contexts/rebuilding/projections.dto.js';
import { type Routes } from '../../screen.js';
import { OverviewPart } from './overview-part.js';
import { LOWEST, overviewScreen } from './overview-screen.js';
import { type OverviewSource } from './overview-source.js';

const EVERY_MS = 5_000;

/** The first page: the state of the service, which is sent again while the page is open, and what needs attention. */
export function addOverviewScreens(routes: Routes, source: OverviewSource): void {
  routes.screen('/', async ({ api }) => {
    const [reading, { partners }, { projections }] = await Promise.all([
      source.read(),
      api.get<PartnerList>('/partners', { sort: 'balance', status: 'active', limit: LOWEST }),
      api.get<ProjectionList>('/projections'),
    ]);
    return overviewScreen(reading, partners, projections);
  });
  routes.live('/live/overview', EVERY_MS, async () => ({ html: OverviewPart({ reading: await source.read() }) }));
}
