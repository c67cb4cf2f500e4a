import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

let service: Application;

beforeAll(async () => {
  service = await sharedApplication();
});

describe('partners', () => {
  it('lists partners in pages, newest first', async () => {
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1) made.unshift((await makePartner(service)).partner_id);
    const page = async (query: string) =>
      (await admin(service, 'GET', `/partners?${query}`)).body.data as { partners: { partner_id: string }[]; next_cursor: string | null };
    const first = await page('limit=2');
    await makePartner(service);
    const second = await page(`limit=1&cursor=${first.next_cursor ?? ''}`);
    expect([...first.partners, ...second.partners].map(({ partner_id }) => partner_id)).toStrictEqual(made);
    for (const query of ['limit=0', 'cursor=x']) expect((await admin(service, 'GET', `/partners?${query}`)).status).toBe(422);
  });

  it('are found by a part of their name, their mode and their status', async () => {
    const live = await makePartner(service, { company_name: 'Ọ̀yọ́ 100% Grain', active: false });
    const sandbox = await makePartner(service, { company_name: 'Upper 100% grain mill', mode: 'sandbox' });
    const found = async (query: Record<string, string>): Promise<unknown[]> =>
      ((await admin(service, 'GET', `/partners?${new URLSearchParams(query).toString()}`)).body.data.partners as TestPartner[]).map(
        ({ partner_id }) => partner_id,
      );
    expect(await found({ search: '100% GRAIN' })).toStrictEqual([sandbox.partner_id, live.partner_id]);
    expect(await found({ search: '100_ grain' })).toStrictEqual([]);
    expect(await found({ search: '100% grain', mode: 'live' })).toStrictEqual([live.partner_id]);
    expect(await found({ search: '100% grain', status: 'active' })).toStrictEqual([sandbox.partner_id]);
    for (const query of ['mode=dead', 'status=gone', 'sort=name', 'serch=x'])
      expect([query, (await admin(service, 'GET', `/partners?${query}`)).status]).toStrictEqual([query, 422]);
  });

  it('are listed by balance, the lowest first, on one page', async () => {
    for (const credit of [300, 0, 20]) await makePartner(service, { company_name: 'Zinder Sorghum', credit });
    const lowest = await admin(service, 'GET', '/partners?search=zinder%20sorghum&sort=balance&limit=2');
    const balances = (lowest.body.data.partners as { wallet_balance: number }[]).map(({ wallet_balance }) => wallet_balance);
    expect([balances, lowest.body.data.next_cursor]).toStrictEqual([[0, 20], null]);
    const { next_cursor } = (await admin(service, 'GET', '/partners?limit=1')).body.data as { next_cursor: string };
    expect((await admin(service, 'GET', `/partners?sort=balance&cursor=${next_cursor}`)).status).toBe(422);
  });

  it('are registered as pending and shown with their wallet balance and compliance', async () => {
    const { status, body } = await admin(service, 'POST', '/partners', { company_name: '  Harvest Bank ', account_type: 'bank' });
    const partner_id = body.data.partner_id as string;
    const customer_number = body.data.customer_number as number;
    expect([status, body.data]).toStrictEqual([
      201,
      { partner_id, customer_number, company_name: 'Harvest Bank', account_type: 'bank', mode: 'live', status: 'pending' },
    ]);
    const shown = {
      partner_id,
      company_name: 'Harvest Bank',
      account_type: 'bank',
      mode: 'live',
      customer_number,
      legal: { name: null, address: null, tax_id: null, registration_number: null, email: null },
      status: 'pending',
      optional_sections: [],
      ip_allow_list: [],
      wallet_balance: 0,
      compliance: { lookups: 0, contributions_expected: 0, contributions_received: 0, compliance_rate: 1 },
    };
    expect((await admin(service, 'GET', `/partners/${partner_id}`)).body.data).toStrictEqual(shown);
    expect((await admin(service, 'GET', '/partners')).body.data.partners).toContainEqual(shown);
    expect((await admin(service, 'POST', `/partners/${partner_id}/activate`)).body.data).toStrictEqual({ ...shown, status: 'active' });
  });

  it('are refused with an error for each invalid field', async () => {
    expect(await admin(service, 'POST', '/partners', { account_type: 'farm', mode: 'dead' })).toMatchObject({
      status: 422,
      body: {
        data: {
          errors: {
            company_name: ['The company name field is required.'],
            account_type: ['The account type field must be one of bank, insurer, agtech.'],
            mode: ['The mode field must be one of live, sandbox.'],
          },
        },
      },
    });
    const { partner_id } = await makePartner(service);
    expect(await admin(service, 'PUT', `/partners/${partner_id}/ip-allow-list`, { cidrs: ['10.0.0.1', 'here'] })).toMatchObject({
      status: 422,
      body: { data: { errors: { 'cidrs.1': ['The cidrs.1 field must be an IP address or a CIDR.'] } } },
    });
  });

  it('respond 404 under an unknown id', async () => {
    for (const [method, path, body] of [
      ['GET', '/partners/nobody', undefined],
      ['POST', '/partners/nobody/activate', undefined],
      ['POST', '/partners/nobody/api-keys', {}],
      ['POST', '/partners/nobody/wallet/credits', { amount: 1, reference: 'r' }],
      ['GET', '/partners/nobody/wallet', undefined],
    ] as const) {
      expect(await admin(service, method, path, body)).toMatchObject({
        status: 404,
        body: { success: false, message: 'No partner found for that id.', code: 'partner_not_found' },
      });
    }
    expect((await admin(service, 'DELETE', '/api-keys/nothing')).status).toBe(404);
  });
});

describe('wallets', () => {
  it('are credited once per reference, even when it is sent repeatedly and concurrently', async () => {
    const { partner_id } = await makePartner(service, { credit: 0 });
    const send = () => admin(service, 'POST', `/partners/${partner_id}/wallet/credits`, { amount: 250.5, reference: 'transfer-1' });
    const responses = await Promise.all(Array.from({ length: 10 }, send));
    expect(responses.map(({ status }) => status)).toStrictEqual(responses.map(() => 200));
    expect(responses.filter(({ body }) => body.data.created === true)).toHaveLength(1);
    expect((await send()).body.data).toStrictEqual({ balance: 250.5, created: false });
    const reused = await admin(service, 'POST', `/partners/${partner_id}/wallet/credits`, { amount: 1, reference: 'transfer-1' });
    expect(reused).toMatchObject({ status: 409, body: { success: false } });
  });

  it.each([
    [{ amount: 1.005, reference: 'r' }, { amount: ['The amount field must be a number with at most two decimals.'] }],
    [{ amount: 0, reference: 'r' }, { amount: ['The amount field must be at least 0.01.'] }],
    [{ amount: '5', reference: 'r' }, { amount: ['The amount field must be a number with at most two decimals.'] }],
    [{ amount: 1e15, reference: 'r' }, { amount: ['The amount field is too large a number.'] }],
    [{ amount: 1 }, { reference: ['The reference field is required.'] }],
    [{ amount: 1, reference: 'x'.repeat(256) }, { reference: ['The reference field must not be greater than 255 characters.'] }],
  ])('refuse the credit %j', async (body, errors) => {
    const { partner_id } = await makePartner(service, { credit: 0 });
    expect(await admin(service, 'POST', `/partners/${partner_id}/wallet/credits`, body)).toMatchObject({
      status: 422,
      body: { data: { errors } },
    });
  });

  it('list their entries in pages, with an unbroken chain of hashes', async () => {
    const { partner_id } = await makePartner(service, { credit: 0 });
    for (let number = 1; number <= 5; number += 1) {
      await admin(service, 'POST', `/partners/${partner_id}/wallet/credits`, { amount: number, reference: `r${number}` });
    }
    const path = `/partners/${partner_id}/wallet/entries`;
    const first = (await admin(service, 'GET', `${path}?limit=2`)).body.data as { entries: object[]; next: number | null };
    expect(first.next).toBe(2);
    expect(first.entries).toMatchObject([
      {
        revision: 0,
        type: 'WalletCredited',
        amount: 1,
        balance_after: 1,
        reference: 'r1',
        lookup_id: null,
        breakdown: null,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      { revision: 1, type: 'WalletCredited', amount: 2, balance_after: 3, reference: 'r2' },
    ]);
    const last = (await admin(service, 'GET', `${path}?from=4&limit=2`)).body.data as { entries: object[]; next: number | null };
    expect(last).toMatchObject({ entries: [{ revision: 4, balance_after: 15 }], next: null });
    expect((await admin(service, 'GET', `${path}?limit=0`)).status).toBe(422);
  });

  it('return their balance at an earlier time', async () => {
    const { partner_id } = await makePartner(service, { credit: 10 });
    const { entries } = (await admin(service, 'GET', `/partners/${partner_id}/wallet/entries`)).body.data as {
      entries: { recorded_at: string }[];
    };
    const at = entries[0]?.recorded_at ?? '';
    const before = new Date(new Date(at).getTime() - 1).toISOString();
    await admin(service, 'POST', `/partners/${partner_id}/wallet/credits`, { amount: 5, reference: 'later' });
    expect((await admin(service, 'GET', `/partners/${partner_id}/wallet?at=${before}`)).body.data).toStrictEqual({
      balance: 0,
      revision: null,
    });
    expect((await admin(service, 'GET', `/partners/${partner_id}/wallet`)).body.data).toStrictEqual({ balance: 15, revision: 1 });
    expect((await admin(service, 'GET', `/partners/${partner_id}/wallet?at=yesterday`)).status).toBe(422);
  });
});

describe('farmers', () => {
  it('are registered once and updated section by section', async () => {
    const identity = { first_name: 'Aisha', state: 'Kano' };
    const put = (body: object) => admin(service, 'PUT', '/farmers/RP-Put', body);
    expect((await put({ mode: 'sandbox', phone_verified: true, identity })).body.data).toStrictEqual({ rupa_id: 'rp-put', created: true });
    expect((await put({ wallet: { balance: 10.5 } })).body.data).toStrictEqual({ rupa_id: 'rp-put', created: false });
    expect((await admin(service, 'GET', '/farmers/rp-put')).body.data).toStrictEqual({
      rupa_id: 'rp-put',
      mode: 'sandbox',
      phone_verified: true,
      identity: { ...identity, data_as_of: expect.any(String) },
      wallet: { balance: 10.5, data_as_of: expect.any(String) },
      profile_tier: 'bronze',
      profile_completeness: 10,
      tier_criteria: expect.any(Object),
    });
    expect(await put({ mode: 'live' })).toMatchObject({ status: 409 });
  });

  it.each([
    [{ identity: 'x' }, { identity: ['The identity field must be an object.'] }],
    [
      { identity: { kyc_status: 'maybe' } },
      { 'identity.kyc_status': [expect.stringMatching(/^The identity.kyc status field must be one of pending/)] },
    ],
    [
      { identity: { date_of_birth: '1990-02-30' } },
      { 'identity.date_of_birth': ['The identity.date of birth field must be an ISO 8601 date or timestamp.'] },
    ],
    [
      { farms: { farms: [{ farm_id: 'a' }, { size_hectares: -1 }] } },
      {
        'farms.farms.1.farm_id': ['The farms.farms.1.farm id field is required.'],
        'farms.farms.1.size_hectares': ['The farms.farms.1.size hectares field must be at least 0.'],
      },
    ],
    [{ wallet: { balance: 1.001 } }, { 'wallet.balance': ['The wallet.balance field must be a number with at most two decimals.'] }],
    [{ phone_verified: 'yes' }, { phone_verified: ['The phone verified field must be true or false.'] }],
  ])('refuse the record %j', async (body, errors) => {
    expect(await admin(service, 'PUT', '/farmers/rp-bad', body)).toMatchObject({ status: 422, body: { data: { errors } } });
    expect((await admin(service, 'GET', '/farmers/rp-bad')).status).toBe(404);
  });
});
