import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, whenServed } from '../support/client.js';
import { openPatiently } from '../support/patient-log.js';
import { storesOf } from '../support/service-log.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

describe('the profile page', () => {
  let service: Application;

  beforeAll(async () => {
    service = await sharedApplication();
    const identity = { full_name: 'Aisha Canary', phone_number: '+2348030000000', state: 'Kano', agent_enrolled: true };
    await admin(service, 'PUT', '/farmers/rp-page', {
      phone_verified: true,
      identity,
      bvn_nin_data: { bvn: { verified: true }, nin: { verified: true } },
      farms: { farms: [{ farm_id: 'F-Canary', latitude: 11.5, gps_verified: true }] },
    });
  });

  const get = (id: string): Promise<Response> => whenServed(() => fetch(`${service.url}/p/${id}`));

  it('is served at the URL that a lookup returns, with tier and completeness', async () => {
    const bank = await makePartner(service);
    const { rupa_profile_url } = (await bank.lookup('rp-page')).body.data.meta as { rupa_profile_url: string };
    const response = await get(new URL(rupa_profile_url).pathname.slice('/p/'.length));
    const html = await response.text();
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'text/html; charset=utf-8']);
    expect(html).toMatch(/<html lang="en">/);
    expect(html).toContain('<span class="tier">silver</span>');
    expect(html).toMatch(/<progress max="100" value="75" aria-labelledby="completeness">/);
    expect((await get('RP-Page')).status).toBe(200);
  });

  it('shows no personal data and loads no resources', async () => {
    const response = await get('rp-page');
    const html = (await response.text()).replace('rp-page', '');
    for (const secret of ['Canary', 'Aisha', 'Kano', '803', '11.5', 'agent', 'bvn']) expect(html).not.toContain(secret);
    expect(html).not.toMatch(/<script|<link|<img|https?:|url\(/);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['rp-nobody', 'rp_wrong', '%00', '..%2f..%2fetc', 'a'.repeat(80)])(
    'responds with a readable 404 page for the unknown id %s',
    async (id) => {
      const response = await get(id);
      expect([response.status, response.headers.get('content-type')]).toStrictEqual([404, 'text/html; charset=utf-8']);
      expect(await response.text()).toContain('There is no farmer with this Rupa&nbsp;ID');
    },
  );

  it('responds with the same 404 page for an erased farmer as for an unknown id', async () => {
    await admin(service, 'PUT', '/farmers/rp-erased', {});
    const eventStore = openPatiently((await storesOf(service)).eventStoreUrl);
    const last = await eventStore.lastEvent('farmer-rp-erased');
    const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
    const data = { rupa_id: 'rp-erased', recorded_at: new Date().toISOString(), actor: 'admin' };
    await eventStore.append('farmer-rp-erased', [{ id: randomUUID(), type: 'FarmerErased', data, metadata }], last?.revision ?? -1n);
    await eventStore.close();
    const erased = await until(async () => [await get('rp-erased')].find(({ status }) => status === 404));
    expect(await erased.text()).toBe(await (await get('rp-nobody')).text());
    const bank = await makePartner(service);
    expect(await bank.lookup('rp-erased')).toMatchObject({ status: 404, body: { message: 'No farmer found for that Rupa ID.' } });
    expect((await bank.call('POST', '/report', { rupa_id: 'rp-erased', event: 'loan_disbursed' })).status).toBe(404);
  });
});
