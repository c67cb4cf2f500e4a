import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const REPORTS: Readonly<Record<string, readonly object[]>> = {
  bank: [
    { event: 'loan_disbursed', amount: 90_000, partner_reference: 'loan' },
    { event: 'loan_repayment', amount: 10_000, payload: { loan_reference: 'loan' } },
    { event: 'loan_defaulted', amount: 80_000 },
  ],
  insurer: [{ event: 'policy_issued', amount: 70_000 }, { event: 'claim_filed' }, { event: 'claim_settled' }],
  agtech: [
    { event: 'input_purchase', amount: 5_000 },
    { event: 'harvest_record', payload: { item: 'yam' } },
  ],
};
const SHOWING_REPORTS = ['credit_history', 'outstanding_loans', 'farms', 'underwriting_value'];

describe('reports about a test farmer', () => {
  let service: Application;
  let partners: Record<string, TestPartner>;

  beforeAll(async () => {
    service = await sharedApplication();
    const make = (account_type: string) => makePartner(service, { mode: 'sandbox', account_type });
    partners = { bank: await make('bank'), insurer: await make('insurer'), agtech: await make('agtech') };
    const { partner_id } = partners.bank as TestPartner;
    await admin(service, 'PUT', `/partners/${partner_id}/optional-sections`, { sections: SHOWING_REPORTS });
  });

  const shown = async (rupa_id: string) => {
    const { data } = (await (partners.bank as TestPartner).lookup(rupa_id, { sections: SHOWING_REPORTS })).body;
    const { credit_history, outstanding_loans, farms, underwriting_value, meta } = data;
    return { credit_history, outstanding_loans, farms, underwriting_value, meta };
  };

  // rp-test-unverified shows no reported items, rp-test-gold some of every kind.
  it.each(['rp-test-unverified', 'rp-test-gold'])('are recorded, and never change what lookups of %s show', async (rupa_id) => {
    const before = await shown(rupa_id);
    for (const [type, reports] of Object.entries(REPORTS)) {
      const partner = partners[type] as TestPartner;
      for (const report of reports)
        expect(await partner.call('POST', '/report', { rupa_id, ...report })).toMatchObject({
          status: 200,
          body: { message: expect.stringMatching(/^Contribution (recorded|updated)\.$/), data: { recorded: true, rupa_id } },
        });
    }
    expect(await shown(rupa_id)).toStrictEqual(before);
    const { profile_tier, profile_completeness } = before.meta as Record<string, unknown>;
    expect((await admin(service, 'GET', `/farmers/${rupa_id}`)).body.data).toMatchObject({ profile_tier, profile_completeness });
  });

  it('are among the contributions of the partner, and count for its compliance', async () => {
    const agtech = await makePartner(service, { mode: 'sandbox', account_type: 'agtech' });
    const { data } = (await agtech.call('POST', '/report', { rupa_id: 'rp-test-bronze', event: 'harvest_record', amount: 5 })).body;
    expect((await agtech.call('GET', '/contributions')).body.data).toMatchObject({
      contributions: [{ contribution_id: data.contribution_id, rupa_id: 'rp-test-bronze', event: 'harvest_record', amount: 5 }],
    });
    expect((await agtech.call('GET', '/me')).body.data).toMatchObject({ compliance: { contributions_received: 1 } });
  });

  it('notify the partners with a consent, and never tell of a changed credit score', async () => {
    const [bank, insurer] = [partners.bank as TestPartner, await makePartner(service, { mode: 'sandbox', account_type: 'insurer' })];
    const rupa_id = 'rp-test-silver';
    expect((await insurer.lookup(rupa_id, { sections: ['identity'] })).status).toBe(200);
    const reported = [
      await bank.call('POST', '/report', { rupa_id, event: 'loan_defaulted', amount: 1_000 }),
      await insurer.call('POST', '/report', { rupa_id, event: 'claim_settled' }),
    ].map(({ body }) => body.data.contribution_id);
    const listed = async () =>
      (await insurer.call('GET', `/events?rupa_id=${rupa_id}`)).body.data.events as { type: string; data: Record<string, unknown> }[];
    // Other specs may report about the same farmer at the same time.
    const told = await until(async () => {
      const own = (await listed()).filter(({ data }) => reported.includes(data.contribution_id));
      return own.length === 2 && own;
    });
    expect(told.map(({ type }) => type)).toStrictEqual(['farmer.loan_defaulted', 'farmer.claim_settled']);
    expect((await listed()).map(({ type }) => type)).not.toContain('farmer.credit_score_changed');
  });

  it('change a sandbox farmer again once they are moved to it', async () => {
    await admin(service, 'PUT', '/farmers/rp-own-sandbox', { mode: 'sandbox' });
    const report = { event: 'harvest_record', partner_reference: 'moved' };
    const agtech = partners.agtech as TestPartner;
    await agtech.call('POST', '/report', { rupa_id: 'rp-test-gold', ...report });
    await agtech.call('POST', '/report', { rupa_id: 'rp-own-sandbox', ...report });
    expect((await shown('rp-own-sandbox')).farms).toMatchObject({ harvests: [{ reporter_type: 'agtech' }] });
  });
});
