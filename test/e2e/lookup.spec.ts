import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, balanceOf, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const farmer = {
  phone_verified: true,
  identity: {
    full_name: 'Aisha Bello',
    first_name: 'Aisha',
    last_name: 'Bello',
    state: 'Kano',
    lga: 'Kura',
    agent_enrolled: true,
    kyc_status: 'verified',
    data_as_of: '2026-01-01',
  },
  bvn_nin_data: {
    bvn: { verified: true, masked: '*******1234' },
    nin: { verified: false },
    verification_source: 'nibss',
    overall_confidence: 'medium',
  },
  credit_history: { credit_score: 640, bureau: { bureau_name: 'B', report_date: '2026-02-01', score: 640 } },
  outstanding_loans: {
    svc_loans: [{ loan_id: 'L1', amount: 1000, outstanding: 400.5, currency: 'NGN', disbursed_at: '2025-01-01', status: 'active' }],
  },
  farms: { farms: [{ farm_id: 'F1', gps_verified: true, ndvi: 0.4 }] },
};

describe('a lookup', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/RP-Aisha', farmer);
    await admin(service, 'PUT', '/farmers/rp-unknown-to-all', {});
  });

  it('returns the permitted sections with the bill (4.2)', async () => {
    const { status, body } = await bank.lookup('rp-aisha');
    expect(status).toBe(200);
    expect(body.success).toBe(true);
    expect(Object.keys(body.data)).toStrictEqual([
      'rupa_id',
      'queried_at',
      'identity',
      'bvn_nin_data',
      'credit_history',
      'outstanding_loans',
      'transaction_volume',
      'meta',
      'billing',
    ]);
    expect(body.data).toMatchObject({
      rupa_id: 'rp-aisha',
      identity: {
        full_name: 'Aisha Bello',
        gender: null,
        country: 'NG',
        kyc_status: 'verified',
        identity_locked: false,
        agent_enrolled: true,
        data_as_of: '2026-01-01',
      },
      bvn_nin_data: { bvn: { verified: true }, nin: { verified: false }, overall_confidence: 'medium' },
      credit_history: { credit_score: 640, partner_reported_repayments: [], bureau: { score: 640 } },
      outstanding_loans: { total_outstanding: 400.5, currency: 'NGN', partner_loans: [] },
      transaction_volume: {
        currency: 'NGN',
        sources: [],
        summary: { last_30_days: { total_received: 0, total_sent: 0, transaction_count: 0 } },
      },
      meta: {
        profile_tier: 'silver',
        profile_completeness: 65,
        tier_criteria: {
          bvn_verified: true,
          nin_verified: false,
          agent_enrolled: true,
          gps_farm: true,
          ndvi_present: true,
          harvest_history: false,
          phone_verified: true,
        },
        rupa_profile_url: expect.stringMatching(/\/p\/rp-aisha$/),
      },
    });
    expect(body.data.meta).not.toHaveProperty('denied_sections');
  });

  it('charges the sum of the breakdown once and settles the charge', async () => {
    const before = await balanceOf(service, bank);
    const { body } = await bank.lookup('rp-aisha');
    const billing = body.data.billing as { lookup_id: string; amount_charged: number; credits: number; breakdown: Record<string, number> };
    expect(billing).toStrictEqual({
      lookup_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      amount_charged: 1000,
      currency: 'NGN',
      credits: 100,
      breakdown: {
        'svc_fee.identity': 50,
        'svc_fee.bvn_nin_data': 50,
        'passthrough.bvn': 60,
        'passthrough.nin': 60,
        'svc_fee.credit_history': 100,
        'passthrough.credit_bureau': 500,
        'svc_fee.outstanding_loans': 80,
        'svc_fee.transaction_volume': 100,
      },
    });
    expect(before - (await balanceOf(service, bank))).toBe(1000);
    const debit = (await entriesOf(service, bank)).filter(({ type }) => type === 'WalletDebited').at(-1);
    expect(debit).toMatchObject({ lookup_id: billing.lookup_id, amount: -1000, balance_after: before - 1000 });
    const settled = await until(async () =>
      (await entriesOf(service, bank)).find(({ type, revision }) => type === 'ChargesSettled' && revision > (debit?.revision ?? 0)),
    );
    expect(settled.amount).toBe(0);
  });

  it('costs less for fewer sections (rule 8) and bills a repeated section once', async () => {
    const { body } = await bank.lookup('rp-aisha', { sections: ['identity', 'identity', 'outstanding_loans'] });
    expect(body.data.billing).toMatchObject({ amount_charged: 130, credits: 13 });
    expect(body.data).not.toHaveProperty('credit_history');
  });

  it('ignores the case of the id and lists denied sections (rule 1)', async () => {
    const { body } = await bank.lookup('  RP-AISHA ', { sections: ['identity', 'farms'] });
    expect(body.data).toMatchObject({ rupa_id: 'rp-aisha', meta: { denied_sections: ['farms'] }, billing: { amount_charged: 50 } });
    expect(body.data).not.toHaveProperty('farms');
  });

  it('returns an optional section only while an administrator grants it', async () => {
    const granted = await makePartner(service);
    await admin(service, 'PUT', `/partners/${granted.partner_id}/optional-sections`, { sections: ['farms'] });
    const sections = { sections: ['farms'] };
    expect((await granted.lookup('rp-aisha', sections)).body.data).toMatchObject({
      farms: { farms: [{ farm_id: 'F1' }], harvests: [], input_purchases: [] },
    });
    await admin(service, 'PUT', `/partners/${granted.partner_id}/optional-sections`, { sections: [] });
    expect((await granted.lookup('rp-aisha', sections)).status).toBe(403);
  });

  it('returns a section without data in its full shape', async () => {
    const { body } = await bank.lookup('rp-unknown-to-all', { sections: ['identity', 'bvn_nin_data'] });
    expect(body.data.identity).toStrictEqual({
      full_name: null,
      first_name: null,
      last_name: null,
      gender: null,
      date_of_birth: null,
      phone_number: null,
      state: null,
      lga: null,
      community: null,
      country: 'NG',
      kyc_status: 'pending',
      kyc_verified_at: null,
      identity_locked: false,
      agent_enrolled: false,
      data_as_of: expect.any(String),
    });
    expect(body.data.meta).toMatchObject({ profile_tier: 'bronze', profile_completeness: 0 });
  });

  it('is refused when no requested section is permitted (rule 2)', async () => {
    const before = await balanceOf(service, bank);
    expect(await bank.lookup('rp-aisha', { sections: ['farms'] })).toMatchObject({
      status: 403,
      body: {
        success: false,
        message: 'None of the requested sections are permitted for your account type.',
        code: 'no_permitted_sections',
      },
    });
    expect(await balanceOf(service, bank)).toBe(before);
  });

  it('is refused with the amounts, and not charged, when the balance is too low (rule 3)', async () => {
    const unfunded = await makePartner(service, { credit: 60 });
    expect(await unfunded.lookup('rp-aisha', { sections: ['identity', 'outstanding_loans'] })).toMatchObject({
      status: 402,
      body: {
        success: false,
        message: 'Insufficient wallet balance for this lookup.',
        code: 'insufficient_balance',
        data: {
          required_amount: 130,
          available_amount: 60,
          shortfall: 70,
          currency: 'NGN',
          breakdown: { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 },
        },
      },
    });
    expect((await entriesOf(service, unfunded)).map(({ type }) => type)).toStrictEqual(['WalletCredited']);
    expect((await unfunded.lookup('rp-aisha', { sections: ['identity'] })).status).toBe(200);
    expect(await balanceOf(service, unfunded)).toBe(10);
  });

  it('succeeds at once when the wallet is credited after a 402', async () => {
    const unfunded = await makePartner(service, { credit: 0 });
    expect((await unfunded.lookup('rp-aisha', { sections: ['identity'] })).status).toBe(402);
    await admin(service, 'POST', `/partners/${unfunded.partner_id}/wallet/credits`, { amount: 50, reference: 'top-up' });
    expect((await unfunded.lookup('rp-aisha', { sections: ['identity'] })).status).toBe(200);
  });

  it.each([
    [{}, { rupa_id: ['The rupa id field is required.'] }],
    [{ rupa_id: '' }, { rupa_id: ['The rupa id field is required.'] }],
    [{ rupa_id: 'rp_1' }, { rupa_id: ['The rupa id field must have 1 to 64 letters, digits and hyphens.'] }],
    [{ rupa_id: 'a'.repeat(65) }, { rupa_id: ['The rupa id field must have 1 to 64 letters, digits and hyphens.'] }],
    [{ rupa_id: 7 }, { rupa_id: ['The rupa id field must have 1 to 64 letters, digits and hyphens.'] }],
    [{ rupa_id: 'rp-aisha', sections: [] }, { sections: ['The sections field must have at least 1 item.'] }],
    [{ rupa_id: 'rp-aisha', sections: 'identity' }, { sections: ['The sections field must be a list.'] }],
    [
      { rupa_id: 'rp-aisha', sections: ['identity', 'shoe_size'] },
      { 'sections.1': [expect.stringContaining('The sections.1 field must be one of')] },
    ],
    [{ rupa_id: 'rp-aisha', source: 1 }, { source: ['The source field must be a string.'] }],
    [{ rupa_id: 'rp-aisha', source: 'a\u0000b' }, { source: ['The source field must be well-formed text without NUL.'] }],
  ])('responds 422 to %j (rule 4)', async (body, errors) => {
    expect(await bank.call('POST', '/lookup', body)).toMatchObject({
      status: 422,
      body: { success: false, message: 'Validation Error', code: 'validation_failed', data: { errors } },
    });
  });

  it('responds 404 when the id is unknown (rule 5) or belongs to the other mode', async () => {
    const unknown = { status: 404, body: { success: false, message: 'No farmer found for that Rupa ID.', code: 'farmer_not_found' } };
    expect(await bank.lookup('rp-nobody')).toMatchObject(unknown);
    const sandbox = await makePartner(service, { mode: 'sandbox' });
    expect(await sandbox.lookup('rp-aisha')).toMatchObject(unknown);
  });

  it('is charged exactly once, and never overdraws the wallet, when many run concurrently', async () => {
    const busy = await makePartner(service, { credit: 50 * 100 });
    const responses = await Promise.all(Array.from({ length: 120 }, () => busy.lookup('rp-aisha', { sections: ['identity'] })));
    const count = (status: number) => responses.filter((response) => response.status === status).length;
    expect([count(200), count(402)]).toStrictEqual([100, 20]);
    expect(await balanceOf(service, busy)).toBe(0);
    const entries = await entriesOf(service, busy);
    expect(entries.filter(({ type }) => type === 'WalletDebited')).toHaveLength(100);
    expect(new Set(entries.map(({ lookup_id }) => lookup_id)).size).toBe(101);
  });
});
