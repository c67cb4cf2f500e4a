import { type LookupExplanations, type LookupExplanationView } from '../../../contexts/lookups/explaining/lookup-explanation.dto.js';
import { type CompensatedLookup } from '../../../contexts/wallet/wallet-responses.dto.js';
import { Readable } from 'node:stream';
import { partnerIdIn, partnersNamed } from '../../components/partner-field.js';
import { pathOf, queryOf } from '../../admin-api.js';
import { utcOf } from '../../form.js';
import { nairaText } from '../../components/text.js';
import { type Routes } from '../../screen.js';
import { findLookupScreen, lookupEntryType, lookupScreen } from './lookup-screen.js';

/**
 * A lookup: who, when, for what, at which prices and with which outcome.
 * @param traceUrl address of a trace, with `{trace_id}` in the place of its id
 */
export function addLookupScreens(routes: Routes, traceUrl: string | undefined): void {
  routes.screen('/lookups', async (visit) => {
    const { rupa_id, from, to, partner, source, min, max, cursor } = visit.query;
    const partners = await partnersNamed(visit, '');
    if (!rupa_id) return findLookupScreen(visit, partners);
    const window = { from: utcOf(from), to: endOfMinute(utcOf(to)) };
    const partner_id = partner ? await partnerIdIn(visit, partner) : undefined;
    const filter = { partner_id, source, min_amount: min, max_amount: max };
    return findLookupScreen(
      visit,
      partners,
      await visit.api.get<LookupExplanations>('/lookups', { rupa_id, ...window, ...filter, cursor }),
    );
  });

  // A form without scripts can only put the partner into the query string.
  routes.download('/lookups/of-partner', async (visit) => {
    const { of = '', since, before, type: named } = visit.query;
    const wallet = `/console${pathOf`/wallets/${await partnerIdIn(visit, of.trim())}`}`;
    const location = `${wallet}${queryOf({ type: lookupEntryType(named), since, before })}#entries`;
    return { status: 303, headers: { location }, body: Readable.from([]) };
  });

  routes.screen('/lookups/:id', async (visit) =>
    lookupScreen(visit, await visit.api.get<LookupExplanationView>(pathOf`/lookups/${visit.params.id ?? ''}`), traceUrl),
  );

  routes.act('/lookups/:id/compensation', async ({ api, params: { id = '' } }, form) => {
    const { amount, balance, created } = await api.post<CompensatedLookup>(pathOf`/lookups/${id}/compensation`, {
      reason: form.text('reason'),
    });
    const notice = created ? `${nairaText(amount)} are given back.` : 'The lookup was compensated before, so nothing changed.';
    return { goTo: `/console${pathOf`/lookups/${id}`}`, notice: `${notice} The partner’s balance is ${nairaText(balance)}.` };
  });
}

/** Returns the last millisecond of a minute, because a field for date and time has no seconds, and the window includes its end. */
function endOfMinute(time: string | undefined): string | undefined {
  return time?.replace(/T(\d{2}:\d{2})Z$/, 'T$1:59.999Z');
}
