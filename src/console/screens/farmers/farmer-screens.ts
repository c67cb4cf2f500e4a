import { type FarmerReport } from '../../../contexts/farmers/subject-report/farmer-report-responses.dto.js';
import { AdminApiError, pathOf } from '../../admin-api.js';
import { type Routes, type Screen, type Visit } from '../../screen.js';
import { farmerScreen, findFarmerScreen } from './farmer-screen.js';
import { type RecordWithSections } from './personal-data.js';

/** A farmer as operators see one: consents, accesses and contributions, and personal data only for a reason. */
export function addFarmerScreens(routes: Routes): void {
  routes.screen('/farmers', () => findFarmerScreen());

  routes.screen('/farmers/:rupaId', async (visit) =>
    farmerScreen(visit, await visit.api.get<FarmerReport>(pathOf`/farmers/${visit.params.rupaId ?? ''}/report`)),
  );

  // The reason is in the body of the form, and so in no address, history or log of a proxy. Each view of the page reads the record again, and
  // so is in the audit trail; the record itself is kept nowhere.
  const personalData = routes.shown<{ readonly reason: string }>('/farmers/:rupaId/record/:shown', {
    kind: 'secret',
    show: (visit, { reason }) => personalDataScreen(visit, reason),
    gone: 'Type a reason on the farmer’s page to see the personal data again.',
    back: ({ rupaId = '' }) => `/console${pathOf`/farmers/${rupaId}`}`,
  });
  routes.act('/farmers/:rupaId', ({ params: { rupaId = '' } }, form) =>
    Promise.resolve(personalData({ rupaId }, { reason: form.text('reason') })),
  );

  routes.act('/farmers/:rupaId/erase', async ({ api, params: { rupaId = '' } }) => {
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
