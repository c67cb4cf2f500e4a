import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

const UNKNOWN = { status: 404, body: { success: false, message: 'No farmer found for that Rupa ID.', code: 'farmer_not_found' } };

describe('sandbox and live', () => {
  let service: Application;
  let partners: Record<'live' | 'sandbox', TestPartner>;

  beforeAll(async () => {
    service = await sharedApplication();
    partners = { live: await makePartner(service), sandbox: await makePartner(service, { mode: 'sandbox' }) };
    for (const mode of ['live', 'sandbox']) await admin(service, 'PUT', `/farmers/rp-${mode}`, { mode });
  });

  it.each(['live', 'sandbox'] as const)('are isolated: a %s partner does not see farmers of the other mode', async (mode) => {
    const other = mode === 'live' ? 'sandbox' : 'live';
    const partner = partners[mode];
    expect((await partner.lookup(`rp-${mode}`)).status).toBe(200);
    expect(await partner.lookup(`rp-${other}`)).toMatchObject(UNKNOWN);
    expect(await partner.call('POST', '/report', { rupa_id: `rp-${other}`, event: 'loan_disbursed' })).toMatchObject(UNKNOWN);
    expect((await partner.call('GET', '/consents')).body.data).toMatchObject({ count: 1, consents: [{ rupa_id: `rp-${mode}` }] });
  });

  it('cannot be changed for an existing farmer', async () => {
    expect(await admin(service, 'PUT', '/farmers/rp-live', { mode: 'sandbox' })).toMatchObject({ status: 409 });
    expect((await partners.live.call('GET', '/me')).body.data).toMatchObject({ mode: 'live' });
    expect((await partners.sandbox.call('GET', '/me')).body.data).toMatchObject({ mode: 'sandbox' });
  });
});
