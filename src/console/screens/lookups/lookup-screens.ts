import { type LookupExplanationView } from '../../../contexts/wallet/lookup-explanation.dto.js';
import { type CompensatedLookup } from '../../../contexts/wallet/wallet-responses.dto.js';
import { pathOf } from '../../admin-api.js';
import { nairaText } from '../../components/text.js';
import { type Routes } from '../../screen.js';
import { findLookupScreen, lookupScreen } from './lookup-screen.js';

/** A lookup: who, when, for what, at which prices and with which outcome. */
export function addLookupScreens(routes: Routes): void {
  routes.screen('/lookups', () => findLookupScreen());

  routes.screen('/lookups/:id', async (visit) =>
    lookupScreen(visit, await visit.api.get<LookupExplanationView>(pathOf`/lookups/${visit.params.id ?? ''}`)),
  );

  routes.act('/lookups/:id/compensation', async ({ api, params: { id = '' } }, form) => {
    const { amount, balance, created } = await api.post<CompensatedLookup>(pathOf`/lookups/${id}/compensation`, {
      reason: form.text('reason'),
    });
    const notice = created ? `${nairaText(amount)} are given back.` : 'The lookup was compensated before, so nothing changed.';
    return { goTo: `/console${pathOf`/lookups/${id}`}`, notice: `${notice} The partner’s balance is ${nairaText(balance)}.` };
  });
}
