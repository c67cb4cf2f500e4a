import { type FarmerReport } from '../../../contexts/farmers/subject-report/farmer-report-responses.dto.js';
import { AdminApiError, pathOf } from '../../admin-api.js';
import { type Routes, type Screen, type Visit } from '../../screen.js';
import { failureScreen } from '../../serving/failure-screen.js';
import { farmerScreen, findFarmerScreen } from './farmer-screen.js';
import { type RecordWithSections } from './personal-data.js';

/** A farmer as operators see one: consents, accesses and contributions, and personal data only for a reason. */
export function addFarmerScreens(routes: Routes): void {
  routes.screen('/farmers', () => findFarmerScreen());

  routes.screen('/farmers/:rupaId', async (visit) =>
    farmerScreen(visit, await visit.api.get<FarmerReport>(pathOf`/farmers/${visit.params.rupaId ?? ''}/report`)),
  );

  // The reason is in the body of the form, and so in no address, history or log of a proxy.
  routes.act('/farmers/:rupaId', async (visit, form) => await personalDataScreen(visit, form.text('reason')).catch(failureScreen));

  routes.act('/farmers/:rupaId/erase', async ({ api, params: { rupaId = '' } }, form) => {
    if (form.text('rupa_id') !== rupaId)
      throw new AdminApiError(422, 'validation_failed', `Nothing was erased: the id that you typed is not ${rupaId}.`);
    await api.delete(pathOf`/farmers/${rupaId}`);
    return { goTo: `/console${pathOf`/farmers/${rupaId}`}`, notice: 'The farmer is erased. Nobody can read the personal data any more.' };
  });
}

/**
 * Reads the record for a reason. The admin interface refuses auditors, and returns the record only once its audit trail has the reason.
 * @throws AdminApiError
 */
async function personalDataScreen(visit: Visit, reason: string): Promise<Screen> {
  const path = pathOf`/farmers/${visit.params.rupaId ?? ''}`;
  const record = await visit.api.getFor<RecordWithSections>(reason, path).catch((error: unknown) => {
    if (error instanceof AdminApiError && error.status === 422) return undefined;
    throw error;
  });
  const report = await visit.api.get<FarmerReport>(`${path}/report`);
  return farmerScreen(visit, report, { reason, ...(record === undefined ? {} : { record }) });
}
