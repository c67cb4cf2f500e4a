import { beforeAll, describe, expect, it } from '@jest/globals';
import { SECTIONS } from '../../src/kernel/section-names.js';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { TEST_FARMER_TIERS } from '../support/unit/test-farmer-tiers.js';

const UNKNOWN = { status: 404, body: { success: false, code: 'farmer_not_found' } };

describe('the test farmers of the sandbox', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service, { mode: 'sandbox' });
    await admin(service, 'PUT', `/partners/${bank.partner_id}/optional-sections`, { sections: SECTIONS });
  });

  const dataOf = async (name: string, more: object = {}): Promise<Record<string, unknown>> => {
    const { status, body } = await bank.lookup(`rp-test-${name}`, more);
    expect([name, status]).toStrictEqual([name, 200]);
    return body.data;
  };

  it('are there as soon as the sandbox partner is', async () => {
    const insurer = await makePartner(service, { mode: 'sandbox', account_type: 'insurer' });
    expect((await insurer.lookup('RP-Test-Gold')).status).toBe(200);
  });

  it.each(TEST_FARMER_TIERS)('have their tier: rp-test-%s is %s', async (name, profile_tier, profile_completeness) => {
    expect((await dataOf(name)).meta).toMatchObject({ profile_tier, profile_completeness });
    expect((await admin(service, 'GET', `/farmers/rp-test-${name}`)).body.data).toMatchObject({
      mode: 'sandbox',
      profile_tier,
      profile_completeness,
    });
  });

  it('show content in every section of rp-test-gold, also in the lists that come from reports', async () => {
    const gold = await dataOf('gold');
    expect(Object.keys(gold)).toEqual(expect.arrayContaining([...SECTIONS]));
    expect(gold).toMatchObject({
      identity: { kyc_status: 'verified' },
      credit_history: { credit_score: 782, partner_reported_repayments: [{ lender_type: 'bank', amount: 30_000 }], bureau: null },
      outstanding_loans: {
        total_outstanding: 220_000,
        svc_loans: [{ outstanding: 100_000 }],
        partner_loans: [{ lender_type: 'bank', amount: 150_000, outstanding: 120_000 }],
      },
      farms: { harvests: [{ item: 'maize', reporter_type: 'agtech' }], input_purchases: [{ item: 'NPK fertiliser' }] },
      underwriting_value: { total_active_coverage: 200_000, active_policies: [{ amount: 200_000, expires_at: null }] },
      wallet: { balance: 84_500.5 },
    });
  });

  it('show empty loan sections of rp-test-no-loans', async () => {
    expect(await dataOf('no-loans')).toMatchObject({
      outstanding_loans: { total_outstanding: 0, currency: 'NGN', svc_loans: [], partner_loans: [], data_as_of: expect.any(String) },
      credit_history: { prior_formal_loans_count: 0, repayment_record: [], partner_reported_repayments: [] },
    });
  });

  it('show nothing verified of rp-test-unverified', async () => {
    const { identity, bvn_nin_data } = await dataOf('unverified');
    expect(identity).toMatchObject({ kyc_status: 'pending', kyc_verified_at: null, agent_enrolled: false });
    expect(bvn_nin_data).toMatchObject({ bvn: { verified: false, masked: null }, nin: { verified: false }, overall_confidence: 'low' });
  });

  it('cost the fee of the credit bureau only for rp-test-bureau', async () => {
    const sections = ['credit_history'];
    expect((await dataOf('bureau', { sections })).billing).toMatchObject({
      amount_charged: 600,
      breakdown: { 'svc_fee.credit_history': 100, 'passthrough.credit_bureau': 500 },
    });
    expect((await dataOf('gold', { sections })).billing).toMatchObject({ amount_charged: 100 });
  });

  it('include rp-test-erased, which is not found', async () => {
    expect(await bank.lookup('rp-test-erased')).toMatchObject(UNKNOWN);
    expect(await bank.call('POST', '/report', { rupa_id: 'rp-test-erased', event: 'loan_disbursed' })).toMatchObject(UNKNOWN);
  });

  it('do not exist for live partners', async () => {
    const live = await makePartner(service);
    for (const name of ['gold', 'failing', 'erased'])
      expect(await live.lookup(`rp-test-${name}`, { sections: ['identity'] })).toMatchObject(UNKNOWN);
    expect(await live.call('POST', '/report', { rupa_id: 'rp-test-gold', event: 'loan_disbursed' })).toMatchObject(UNKNOWN);
  });
});
