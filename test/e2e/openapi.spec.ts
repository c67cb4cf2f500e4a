import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, createClient } from '../generated-client/client/index.js';
import * as api from '../generated-client/sdk.gen.js';
import {
  type AccountLowBalanceNotification,
  type FarmerErasedNotification,
  type FarmerLoanAddedNotification,
} from '../generated-client/types.gen.js';
import { SUBSCRIBABLE_TYPES } from '../../src/contexts/webhooks/domain/notification-types.js';
import { sharedApplication } from '../support/application.js';
import { expectDocumented } from '../support/contract.js';
import { makePartner, whenServed } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

/** Returns a client that sends a request again while a busy machine keeps the service from serving it. */
function clientOf({ url }: Application, auth: string): Client {
  return createClient({ baseUrl: url, auth, fetch: (input) => whenServed(() => fetch(input instanceof Request ? input.clone() : input)) });
}

/** The partner and the administrator of these tests use a client that was generated from the document alone. */
describe('the OpenAPI document', () => {
  let service: Application;
  let administrator: Client;
  let partner: Client;

  beforeAll(async () => {
    service = await sharedApplication();
    administrator = clientOf(service, service.adminToken);
    const { data: registered } = await api.registerPartner({
      client: administrator,
      body: { company_name: 'Generated Bank', account_type: 'bank' },
    });
    const id = registered?.data.partner_id ?? '';
    await api.activatePartner({ client: administrator, path: { id } });
    await api.creditWallet({ client: administrator, path: { id }, body: { amount: 1000, reference: 'opening' } });
    const { data: key } = await api.issueApiKey({ client: administrator, path: { id }, body: {} });
    partner = clientOf(service, key?.data.api_key ?? '');
    await api.recordFarmer({
      client: administrator,
      path: { rupaId: 'rp-client-1' },
      body: { phone_verified: true, identity: { full_name: 'Aisha Bello' } },
    });
  });

  it('is served as JSON', async () => {
    const served = (await (await fetch(`${service.url}/docs-json`)).json()) as { openapi: string; paths: object };
    expect(served.openapi).toBe('3.1.0');
    expect(Object.keys(served.paths)).toContain('/v1/rupa/lookup');
  });

  it('is served as a page that loads nothing from other origins', async () => {
    const response = await fetch(`${service.url}/docs`);
    const html = await response.text();
    expect(response.status).toBe(200);
    const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '');
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) {
      const url = new URL(source, `${service.url}/docs`);
      expect(url.origin).toBe(service.url);
      const loaded = await fetch(url);
      // A connection with a part of a body that nobody reads stays open, and so does the process.
      await loaded.arrayBuffer();
      expect(loaded.status).toBe(200);
    }
  });

  it('lets a generated client look up, report and manage consents', async () => {
    const me = await api.getAccount({ client: partner });
    expect(me.data?.data).toMatchObject({
      company_name: 'Generated Bank',
      wallet_balance: 1000,
      contribution_events: ['loan_disbursed', 'loan_repayment', 'loan_defaulted'],
    });
    const report = await api.reportActivity({
      client: partner,
      body: { rupa_id: 'rp-client-1', event: 'loan_disbursed', amount: 500, partner_reference: 'L1' },
    });
    expect(report.data).toMatchObject({ message: 'Contribution recorded.', data: { created: true } });
    const lookup = await api.lookUpFarmer({
      client: partner,
      body: { rupa_id: 'rp-client-1', sections: ['identity', 'outstanding_loans'] },
      headers: { 'Idempotency-Key': 'k' },
    });
    expect(lookup.data?.data.identity?.full_name).toBe('Aisha Bello');
    expect(lookup.data?.data.outstanding_loans?.partner_loans[0]?.outstanding).toBe(500);
    expect(lookup.data?.data.billing).toMatchObject({ amount_charged: 130, credits: 13 });
    expect((await api.listConsents({ client: partner })).data?.data.consents[0]?.rupa_id).toBe('rp-client-1');
    expect((await api.releaseConsent({ client: partner, path: { rupaId: 'rp-client-1' } })).data?.data.revoked).toBe(true);
  });

  it('lets a generated client read an event of each type', async () => {
    const { key } = await makePartner(service, { mode: 'sandbox' });
    const sandbox = clientOf(service, key);
    for (const type of SUBSCRIBABLE_TYPES)
      await api.triggerEvent({ client: sandbox, body: { type, ...(type === 'account.low_balance' ? {} : { rupa_id: 'rp-test-gold' }) } });
    const events = await until(async () => {
      const { data: page } = await api.listEvents({ client: sandbox });
      return page?.data.events.length === SUBSCRIBABLE_TYPES.length && page.data.events;
    });
    expect(events.map(({ type }) => type)).toStrictEqual(SUBSCRIBABLE_TYPES);
    const [added, fell] = [events[0] as FarmerLoanAddedNotification, events.at(-2) as AccountLowBalanceNotification];
    const erased = events.at(-1) as FarmerErasedNotification;
    expect([added.data.rupa_id, fell.data.currency, erased.data.rupa_id]).toStrictEqual(['rp-test-gold', 'NGN', 'rp-test-gold']);
  });

  it('lets a generated client distinguish errors by status', async () => {
    expect(await api.releaseConsent({ client: partner, path: { rupaId: 'rp-client-1' } })).toMatchObject({
      error: { success: false, message: 'No consent record found for that Rupa ID.', code: 'consent_not_found' },
      response: { status: 404 },
    });
    const wrong = await api.reportActivity({ client: partner, body: { rupa_id: 'rp-client-1', event: 'harvest_record' } });
    expect(wrong).toMatchObject({ error: { data: { errors: { event: [expect.any(String)] } } }, response: { status: 422 } });
    const stranger = clientOf(service, 'rupa_key_wrong');
    expect(await api.getAccount({ client: stranger })).toMatchObject({ response: { status: 401 } });
  });

  it('lets a generated client administer partners, wallets, prices and farmers', async () => {
    const { data: listed } = await api.listPartners({ client: administrator });
    const id = listed?.data.partners.find(({ company_name }) => company_name === 'Generated Bank')?.partner_id ?? '';
    expect(
      (await api.setOptionalSections({ client: administrator, path: { id }, body: { sections: ['farms'] } })).data?.data.optional_sections,
    ).toStrictEqual(['farms']);
    expect(
      (await api.listWalletEntries({ client: administrator, path: { id }, query: { from: 0, limit: 10 } })).data?.data.entries[0],
    ).toMatchObject({ type: 'WalletCredited', amount: 1000 });
    expect((await api.getPriceBook({ client: administrator })).data?.data.fees['svc_fee.identity']).toBe(50);
    expect((await api.getFarmer({ client: administrator, path: { rupaId: 'rp-client-1' } })).data?.data).toMatchObject({
      identity: { full_name: 'Aisha Bello' },
      profile_tier: 'bronze',
    });
  });

  it('is the contract that every response in these tests is checked against', () => {
    const good = { success: true, data: { revoked: true, rupa_id: 'rp-client-1' } };
    const identified = new Headers({ 'X-Request-Id': '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11' });
    const check =
      (status: number, body: object, headers = identified) =>
      (): void => {
        expectDocumented('DELETE', '/v1/rupa/consents/rp-client-1', status, headers, body);
      };
    expect(check(200, good)).not.toThrow();
    expect(check(200, good, new Headers())).toThrow(/X-Request-Id/);
    expect(check(418, good)).toThrow(/does not document/);
    expect(check(200, { ...good, more: 1 })).toThrow(/not as documented/);
    expect(check(200, { ...good, data: { revoked: true } })).toThrow(/rupa_id/);
    expect(check(200, { ...good, data: { ...good.data, revoked: 'yes' } })).toThrow(/not as documented/);
    expect(check(429, { success: false, message: 'x' })).toThrow(/Retry-After/);
  });
});
