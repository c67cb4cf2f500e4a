import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner } from '../support/client.js';
import { MANDATORY } from '../support/section-facts.js';
import { type Application } from '../support/service.js';

describe('GET /me (4.3)', () => {
  let service: Application;

  beforeAll(async () => {
    service = await sharedApplication();
    await admin(service, 'PUT', '/farmers/rp-me-1', {});
  });

  it.each([
    ['bank', MANDATORY.bank, ['loan_disbursed', 'loan_repayment', 'loan_defaulted']],
    ['insurer', MANDATORY.insurer, ['policy_issued', 'claim_filed', 'claim_settled']],
    ['agtech', MANDATORY.agtech, ['input_purchase', 'harvest_record']],
  ])('tells a new %s its sections, events and balance', async (account_type, mandatory_sections, contribution_events) => {
    const partner = await makePartner(service, { account_type, credit: 12.34 });
    expect((await partner.call('GET', '/me')).body).toStrictEqual({
      success: true,
      data: {
        company_name: 'Test',
        account_type,
        status: 'active',
        mode: 'live',
        allowed_sections: mandatory_sections,
        mandatory_sections,
        contribution_events,
        wallet_balance: 12.34,
        low_balance_threshold: null,
        compliance: { lookups: 0, contributions_expected: 0, contributions_received: 0, compliance_rate: 1 },
      },
    });
  });

  it('adds granted sections to the mandatory ones', async () => {
    const partner = await makePartner(service, { account_type: 'agtech' });
    await admin(service, 'PUT', `/partners/${partner.partner_id}/optional-sections`, { sections: ['wallet', 'farms'] });
    expect((await partner.call('GET', '/me')).body.data.allowed_sections).toStrictEqual([...MANDATORY.agtech, 'wallet']);
  });

  it('shows the exact balance and usage immediately after a lookup', async () => {
    const partner = await makePartner(service, { credit: 1_000 });
    for (let lookups = 1; lookups <= 5; lookups += 1) {
      await partner.lookup('rp-me-1', { sections: ['identity'] });
      expect((await partner.call('GET', '/me')).body.data).toMatchObject({
        wallet_balance: 1_000 - 50 * lookups,
        compliance: { lookups, contributions_expected: Math.ceil(lookups / 2), contributions_received: 0, compliance_rate: 0 },
      });
    }
  });

  it('has the price of a lookup of every readable section beside it at /prices, for a pending partner, too', async () => {
    const partner = await makePartner(service, { account_type: 'agtech', active: false });
    await admin(service, 'PUT', `/partners/${partner.partner_id}/optional-sections`, { sections: ['credit_history', 'bvn_nin_data'] });
    const { lookup, fees } = (await partner.call('GET', '/prices')).body.data as {
      lookup: { sections: string[] };
      fees: Record<string, number>;
    };
    expect(lookup).toStrictEqual({ sections: [...MANDATORY.agtech, 'credit_history', 'bvn_nin_data'], amount: 450 });
    expect(fees['passthrough.credit_bureau']).toBe(500);
  });
});
