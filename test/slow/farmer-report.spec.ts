import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type ProcessResult, rupa } from '../support/rupa.js';
import { givenPast } from '../support/wallet-past.js';
import { type Application } from '../support/service.js';
import { chargeOf } from '../support/unit/charge-of.js';

const NAME = 'Bank <b>&</b> Sons';

describe('a farmer’s report', () => {
  let service: Application;
  let bank: TestPartner;
  let agtech: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service, { company_name: NAME });
    agtech = await makePartner(service, { account_type: 'agtech', company_name: 'Fields' });
    for (const rupa_id of ['rp-view-1', 'rp-view-2', 'rp-view-new'])
      await admin(service, 'PUT', `/farmers/${rupa_id}`, { identity: { full_name: 'Aisha Bello' } });
    await bank.lookup('rp-view-1', { sections: ['outstanding_loans', 'identity'], source: 'loan <renewal>' });
    await bank.lookup('rp-view-2', { sections: ['identity'] });
    await agtech.lookup('rp-view-1', { sections: ['farms', 'bvn_nin_data'] });
    await agtech.call('DELETE', '/consents/rp-view-1');
    const refunded = { partner_id: bank.partner_id, at: new Date().toISOString(), actor: 'service' };
    const bill = {
      rupa_id: 'rp-view-1',
      source: 'loan',
      breakdown_kobo: { 'svc_fee.credit_history': 100_00, 'passthrough.credit_bureau': 500_00 },
      price_book_version: 1,
      key_id: 'no-key',
      grants_consent: false,
    };
    await givenPast(service, [
      chargeOf({ ...refunded, ...bill, lookup_id: 'l1' }),
      { ...refunded, kind: 'refund', lookup_ids: ['l1'], reason: 'the response failed' },
    ]);
    await bank.call('POST', '/report', {
      rupa_id: 'rp-view-1',
      event: 'loan_disbursed',
      amount: 77_123.45,
      partner_reference: 'secret',
      occurred_at: '2026-03-01',
    });
    await agtech.call('POST', '/report', {
      rupa_id: 'rp-view-1',
      event: 'harvest_record',
      occurred_at: '2026-04-01',
      payload: { item: 'maize' },
    });
  });

  const report = async (rupa_id: string): Promise<Record<string, unknown>> =>
    (await admin(service, 'GET', `/farmers/${rupa_id}/report`)).body.data;
  const farmers = (...args: string[]): Promise<ProcessResult> => rupa(service, ['farmers', ...args]);
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  const of = ({ partner_id }: TestPartner, company_name: string, account_type: string) => ({ partner_id, company_name, account_type });

  it('lists who holds a consent, who looked up which sections when and why, and who reported what', async () => {
    const [theBank, theAgtech] = [of(bank, NAME, 'bank'), of(agtech, 'Fields', 'agtech')];
    expect(await report('RP-VIEW-1')).toStrictEqual({
      rupa_id: 'rp-view-1',
      mode: 'live',
      registered_at: time,
      erased_at: null,
      made_at: time,
      consents: [{ ...theBank, source: 'loan <renewal>', granted_at: time, last_accessed_at: time, access_count: 1 }],
      lookups: [
        { ...theBank, lookup_id: 'l1', looked_up_at: time, source: 'loan', sections: ['credit_history'], refunded: true },
        { ...theAgtech, lookup_id: expect.any(String), looked_up_at: time, source: 'loan', sections: ['farms'], refunded: false },
        {
          ...theBank,
          lookup_id: expect.any(String),
          looked_up_at: time,
          source: 'loan <renewal>',
          sections: ['identity', 'outstanding_loans'],
          refunded: false,
        },
      ],
      reports: [
        { ...theAgtech, contribution_id: expect.any(Number), event: 'harvest_record', occurred_at: '2026-04-01T00:00:00.000Z' },
        { ...theBank, contribution_id: expect.any(Number), event: 'loan_disbursed', occurred_at: '2026-03-01T00:00:00.000Z' },
      ],
    });
  });

  it('is empty for a farmer who was never looked up, and never includes other farmers', async () => {
    expect(await report('rp-view-new')).toMatchObject({ consents: [], lookups: [], reports: [] });
    expect(await report('rp-view-2')).toMatchObject({ lookups: [{ sections: ['identity'] }], reports: [] });
  });

  it('is available to administrators and auditors, for known farmers only', async () => {
    const as = async (token: string): Promise<number> =>
      (await call(service, 'GET', '/admin/v1/farmers/rp-view-1/report', { headers: { Authorization: `Bearer ${token}` } })).status;
    expect([await as(service.auditorToken), await as('x')]).toStrictEqual([200, 401]);
    expect((await admin(service, 'GET', '/farmers/rp-view-never/report')).status).toBe(404);
    expect((await admin(service, 'GET', '/farmers/not_an_id/report')).status).toBe(422);
    expect((await admin(service, 'GET', '/farmers/rp-view-1/report?format=xml')).status).toBe(422);
  });

  it('contains the record only if an administrator asks for it', async () => {
    const as = async (token: string, query: string): Promise<ApiResponse> =>
      await call(service, 'GET', `/admin/v1/farmers/rp-view-1/report${query}`, { headers: { Authorization: `Bearer ${token}` } });
    const { status, body } = await as(service.adminToken, '?personal=true');
    const { data: record } = (await admin(service, 'GET', '/farmers/rp-view-1')).body;
    expect([status, body.data.record]).toStrictEqual([200, record]);
    for (const query of ['', '?personal=false'])
      expect(JSON.stringify((await as(service.adminToken, query)).body)).not.toMatch(/Aisha|"record"/);
    for (const query of ['?personal=true', '?personal=%20true', '?personal=true&format=html']) {
      expect(await as(service.auditorToken, query)).toMatchObject({ status: 403, body: { code: 'role_not_allowed' } });
    }
    expect((await as(service.adminToken, '?personal=yes')).status).toBe(422);
    expect((await admin(service, 'GET', '/farmers/rp-view-never/report?personal=true')).status).toBe(404);
    const page = await whenServed(() =>
      fetch(`${service.url}/admin/v1/farmers/rp-view-1/report?personal=true&format=html`, {
        headers: { Authorization: `Bearer ${service.adminToken}` },
      }),
    );
    expect(await page.text()).toContain('<th scope="row">identity.full_name</th><td>Aisha Bello</td>');
  });

  it('is available as a printable page that escapes what users typed', async () => {
    const response = await whenServed(() =>
      fetch(`${service.url}/admin/v1/farmers/rp-view-1/report?format=html`, {
        headers: { Authorization: `Bearer ${service.adminToken}` },
      }),
    );
    const html = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(html).toContain('Bank &lt;b&gt;&amp;&lt;/b&gt; Sons');
    expect(html).toContain('identity, outstanding_loans');
    expect(html).not.toMatch(/<b>|<renewal>|secret|77,?123/);
    const { out } = await farmers('report', 'rp-view-1', '--format', 'html');
    const undated = (page: string): string => page.replaceAll(/<time[^/]*<\/time>/g, '');
    expect(undated(out)).toBe(undated(html));
  });

  it('is available on the command line as tables, and as JSON with the same data', async () => {
    const { code, out } = await farmers('report', 'rp-view-1');
    expect(code).toBe(0);
    expect(out).toMatch(/^Farmer rp-view-1 \(live\), registered \S+Z; data up to \S+Z\n\nConsents held\n/);
    expect(out).toMatch(/Z[ │]+Bank <b>&<\/b> Sons[ │]+bank[ │]+loan <renewal>[ │]+identity, outstanding_loans/);
    expect(out).toMatch(/Z[ │]+Bank <b>&<\/b> Sons[ │]+bank[ │]+loan[ │]+credit_history \(refunded: the response failed\)/);
    const { made_at, ...rest } = JSON.parse((await farmers('report', 'rp-view-1', '--json')).out) as Record<string, unknown>;
    expect({ made_at, ...rest }).toStrictEqual({ ...(await report('rp-view-1')), made_at: time });
    expect(await farmers('report', 'rp-view-never')).toMatchObject({ code: 1, err: 'No farmer found for that Rupa ID.\n' });
    expect(await farmers('report', 'not_an_id')).toMatchObject({ code: 2 });
  });

  it('lists the same entries after an erasure, by the pseudonym', async () => {
    const { made_at: _made, erased_at: _erased, ...before } = await report('rp-view-1');
    expect(await farmers('erase', 'rp-view-1', '--json')).toMatchObject({ code: 0, out: '{"rupa_id":"rp-view-1","erased":true}\n' });
    const { made_at: _at, erased_at, ...after } = await report('rp-view-1');
    expect(after).toStrictEqual(before);
    expect(erased_at).toEqual(time);
    expect((await farmers('report', 'rp-view-1', '--format', 'html')).out).toContain('was erased on');
  });
});
