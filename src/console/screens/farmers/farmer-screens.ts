import { type FarmerReport } from '../../../contexts/farmers/farmer-report-responses.dto.js';
import { AdminApiError, pathOf } from '../../admin-api.js';
import { type Routes } from '../../screen.js';
import { farmerScreen, findFarmerScreen } from './farmer-screen.js';

/** A farmer as operators see one: consents, accesses and contributions, and no personal data. */
export function addFarmerScreens(routes: Routes): void {
  routes.screen('/farmers', () => findFarmerScreen());

  routes.screen('/farmers/:rupaId', async (visit) =>
    farmerScreen(visit, await visit.api.get<FarmerReport>(pathOf`/farmers/${visit.params.rupaId ?? ''}/report`)),
  );

  routes.act('/farmers/:rupaId/erase', async ({ api, params: { rupaId = '' } }, form) => {
    if (form.text('rupa_id') !== rupaId)
      throw new AdminApiError(422, 'validation_failed', `Nothing was erased: the id that you typed is not ${rupaId}.`);
    await api.delete(pathOf`/farmers/${rupaId}`);
    return { goTo: `/console${pathOf`/farmers/${rupaId}`}`, notice: 'The farmer is erased. Nobody can read the personal data any more.' };
  });
}
