import { admin, call, makePartner, type TestPartner } from './client.js';
import { type Application } from './service.js';
import { until } from './until.js';

/** The ids of a partner with everything that a partner can have, which the screens show in tests. */
export interface ConsoleWorld {
  readonly partner: TestPartner;
  readonly rupaId: string;
  readonly lookupId: string;
  readonly requestId: string;
  readonly endpointId: string;
}

export async function makeConsoleWorld(service: Application): Promise<ConsoleWorld> {
  const rupaId = 'rp-console-1';
  const partner = await makePartner(service, { company_name: 'Sahel Savings Bank', mode: 'sandbox' });
  await admin(service, 'PUT', `/farmers/${rupaId}`, { mode: 'sandbox', phone_verified: true });
  const headers = { 'X-API-KEY': partner.key };
  const lookup = await call(service, 'POST', '/v1/rupa/lookup', { headers, body: { rupa_id: rupaId, sections: ['identity'] } });
  const registered = await partner.call('POST', '/webhooks', { url: 'https://hooks.example/rupa', events: ['farmer.loan_added'] });
  const endpointId = String(registered.body.data.id);
  await partner.call('POST', '/report', { rupa_id: rupaId, event: 'loan_disbursed' });
  await until(async () => {
    const { deliveries } = (await admin(service, 'GET', `/webhooks/${endpointId}/deliveries`)).body.data as { deliveries: unknown[] };
    return deliveries.length > 0;
  });
  const { billing } = lookup.body.data as { billing: { lookup_id: string } };
  // Only a lookup whose charge is settled can be compensated.
  await until(async () => {
    const { outcome } = (await admin(service, 'GET', `/lookups/${billing.lookup_id}`)).body.data as { outcome: { status: string } };
    return outcome.status === 'settled';
  });
  return {
    partner,
    rupaId,
    lookupId: billing.lookup_id,
    requestId: lookup.headers.get('X-Request-Id') ?? '',
    endpointId,
  };
}
