import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type WatchedEndpoint, type WatchedEndpoints } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { type Deliveries, type Recovery } from '../../../contexts/webhooks/endpoints/webhook-responses.dto.js';
import { AdminApiError, pathOf } from '../../admin-api.js';
import { utcOf } from '../../form.js';
import { type Routes } from '../../screen.js';
import { endpointScreen } from './endpoint-screen.js';
import { endpointsScreen } from './endpoints-screen.js';

const PER_PAGE = 100;
const NOTICES = { enable: 'The endpoint is enabled.', disable: 'The endpoint is disabled: nothing is sent to it.' } as const;

/** The endpoints of all partners, and an endpoint with its deliveries. */
export function addWebhookScreens(routes: Routes): void {
  routes.screen('/webhooks', async ({ api, query: { failing, cursor } }) => {
    const page = (isFailing: boolean) => api.get<WatchedEndpoints>('/webhooks', { failing: isFailing, limit: PER_PAGE, cursor });
    // A cursor is that of one of the two lists.
    const isOfFailing = failing === 'true';
    const [failures, others] = await Promise.all([
      cursor && !isOfFailing ? undefined : page(true),
      cursor && isOfFailing ? undefined : page(false),
    ]);
    return endpointsScreen({ failing: failures, others }, cursor);
  });

  routes.screen('/webhooks/:id', async (visit) => {
    const { id = '' } = visit.params;
    const { status, from, to, rupa_id, event, cursor } = visit.query;
    const filter = { status, from: utcOf(from), to: utcOf(to), rupa_id, event };
    const [endpoint, deliveries] = await Promise.all([
      visit.api.get<WatchedEndpoint>(pathOf`/webhooks/${id}`),
      visit.api.get<Deliveries>(pathOf`/webhooks/${id}/deliveries`, { ...filter, cursor }),
    ]);
    const partner = await visit.api.get<PartnerView>(pathOf`/partners/${endpoint.partner_id}`);
    return endpointScreen(visit, { endpoint, partner, deliveries });
  });

  for (const verb of ['enable', 'disable'] as const)
    routes.act(`/webhooks/:id/${verb}`, async ({ api, params: { id = '' } }) => {
      await api.post(`${pathOf`/webhooks/${id}`}/${verb}`);
      return { goTo: pageOfEndpoint(id), notice: NOTICES[verb] };
    });

  routes.act('/webhooks/:id/deliveries/:deliveryId/resend', async ({ api, params: { id = '', deliveryId = '' } }) => {
    await api.post(pathOf`/webhooks/${id}/deliveries/${deliveryId}/resend`);
    return { goTo: pageOfEndpoint(id), notice: `Delivery ${deliveryId} is sent again.` };
  });

  routes.act('/webhooks/:id/recover', async ({ api, params: { id = '' } }, form) => {
    const since = utcOf(form.optional('since'));
    if (since === undefined) throw new AdminApiError(422, 'validation_failed', 'Enter the time since when the endpoint missed events.');
    const { queued } = await api.post<Recovery>(pathOf`/webhooks/${id}/recover`, { since });
    return { goTo: pageOfEndpoint(id), notice: `${queued} deliveries are queued; at most ten of them are due each second.` };
  });
}

function pageOfEndpoint(id: string): string {
  return `/console${pathOf`/webhooks/${id}`}`;
}
