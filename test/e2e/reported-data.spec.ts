import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

/** Other partners see what a partner reports (interface, section 1). */
describe('a partner’s report', () => {
  let service: Application;
  let lender: TestPartner;
  let insurer: TestPartner;
  let agtech: TestPartner;
  /** This partner may read every section and reports nothing. */
  let reader: TestPartner;
  let farmers = 0;

  beforeAll(async () => {
    service = await sharedApplication();
    lender = await makePartner(service, { company_name: 'Kestrel Bank' });
    insurer = await makePartner(service, { account_type: 'insurer', company_name: 'Kestrel Insurance' });
    agtech = await makePartner(service, { account_type: 'agtech', company_name: 'Kestrel Agtech' });
    reader = await makePartner(service);
    const sections = ['farms', 'underwriting_value', 'wallet', 'socioeconomic_profile'];
    await admin(service, 'PUT', `/partners/${reader.partner_id}/optional-sections`, { sections });
  });

  const newFarmer = async (record: object = {}): Promise<string> => {
    farmers += 1;
    await admin(service, 'PUT', `/farmers/rp-reported-${farmers}`, record);
    return `rp-reported-${farmers}`;
  };
  const report = async (partner: TestPartner, body: object): Promise<number> => {
    const response = await partner.call('POST', '/report', body);
    expect(response.status).toBe(200);
    return response.body.data.contribution_id as number;
  };
  const section = async (rupa_id: string, name: string): Promise<unknown> =>
    (await reader.lookup(rupa_id, { sections: [name] })).body.data[name];

  it('of loan_disbursed appears in outstanding_loans.partner_loans, reduced by its repayments', async () => {
    const rupa_id = await newFarmer({
      outstanding_loans: {
        svc_loans: [{ loan_id: 'L1', amount: 900, outstanding: 400.5, currency: 'NGN', disbursed_at: '2025-01-01', status: 'active' }],
        data_as_of: '2026-01-01',
      },
    });
    const loan = await report(lender, {
      rupa_id,
      event: 'loan_disbursed',
      amount: 1000,
      partner_reference: 'loan-1',
      occurred_at: '2026-03-01',
    });
    const dollars = await report(lender, {
      rupa_id,
      event: 'loan_disbursed',
      amount: 70,
      currency: 'usd',
      partner_reference: 'loan-2',
      occurred_at: '2026-04-01T10:00:00+01:00',
    });
    await report(lender, { rupa_id, event: 'loan_repayment', amount: 250.25, payload: { loan_reference: 'loan-1' } });
    await report(lender, { rupa_id, event: 'loan_repayment', amount: 100, payload: { loan_reference: 'another' } });
    await report(await makePartner(service), { rupa_id, event: 'loan_repayment', amount: 100, payload: { loan_reference: 'loan-1' } });
    expect(await section(rupa_id, 'outstanding_loans')).toStrictEqual({
      total_outstanding: 1150.25,
      currency: 'NGN',
      svc_loans: [
        { loan_id: 'L1', amount: 900, outstanding: 400.5, currency: 'NGN', disbursed_at: '2025-01-01', due_at: null, status: 'active' },
      ],
      partner_loans: [
        {
          contribution_id: dollars,
          lender_type: 'bank',
          amount: 70,
          outstanding: 70,
          currency: 'USD',
          disbursed_at: '2026-04-01T09:00:00.000Z',
        },
        {
          contribution_id: loan,
          lender_type: 'bank',
          amount: 1000,
          outstanding: 749.75,
          currency: 'NGN',
          disbursed_at: '2026-03-01T00:00:00.000Z',
        },
      ],
      data_as_of: '2026-01-01',
    });
    await report(lender, { rupa_id, event: 'loan_repayment', amount: 5000, payload: { loan_reference: ' loan-1 ' } });
    expect(await section(rupa_id, 'outstanding_loans')).toMatchObject({
      total_outstanding: 400.5,
      partner_loans: [{}, { outstanding: 0 }],
    });
  });

  it('of loan_repayment lowers only a loan of the same partner, farmer, reference and currency', async () => {
    const [farmer, other] = [await newFarmer(), await newFarmer()];
    const loan = { event: 'loan_disbursed', amount: 1000, partner_reference: 'same' };
    await report(lender, { ...loan, rupa_id: farmer });
    const outstanding = async (): Promise<unknown> =>
      ((await section(farmer, 'outstanding_loans')) as { partner_loans: { outstanding: number }[] }).partner_loans[0]?.outstanding;
    for (const partner of [lender, await makePartner(service)])
      for (const rupa_id of [farmer, other])
        for (const loan_reference of ['same', 'another'])
          for (const currency of ['NGN', 'USD']) {
            const isOfTheLoan = partner === lender && rupa_id === farmer && loan_reference === 'same' && currency === 'NGN';
            if (!isOfTheLoan) await report(partner, { rupa_id, event: 'loan_repayment', amount: 7, currency, payload: { loan_reference } });
          }
    expect(await outstanding()).toBe(1000);
    await report(lender, { rupa_id: farmer, event: 'loan_repayment', amount: 7, payload: { loan_reference: 'same' } });
    expect(await outstanding()).toBe(993);
  });

  it('of a loan that moves to another farmer leaves the repayments with the farmer who made them', async () => {
    const [farmer, other] = [await newFarmer(), await newFarmer()];
    const loan = { event: 'loan_disbursed', amount: 1000, partner_reference: 'moved' };
    await report(lender, { ...loan, rupa_id: farmer });
    await report(lender, { rupa_id: farmer, event: 'loan_repayment', amount: 400, payload: { loan_reference: 'moved' } });
    expect(await section(farmer, 'outstanding_loans')).toMatchObject({ partner_loans: [{ outstanding: 600 }] });
    await report(lender, { ...loan, rupa_id: other });
    expect(await section(farmer, 'outstanding_loans')).toMatchObject({ partner_loans: [], total_outstanding: 0 });
    expect(await section(other, 'outstanding_loans')).toMatchObject({ partner_loans: [{ outstanding: 1000 }], total_outstanding: 1000 });
  });

  it('of loan_repayment appears in credit_history.partner_reported_repayments', async () => {
    const rupa_id = await newFarmer();
    const paid = await report(lender, { rupa_id, event: 'loan_repayment', amount: 20, occurred_at: '2026-05-05' });
    expect(await section(rupa_id, 'credit_history')).toMatchObject({
      partner_reported_repayments: [
        { contribution_id: paid, lender_type: 'bank', amount: 20, currency: 'NGN', paid_at: '2026-05-05T00:00:00.000Z' },
      ],
    });
  });

  it('of policy_issued counts towards underwriting_value.total_active_coverage until it expires', async () => {
    const rupa_id = await newFarmer();
    const issue = (amount: number, payload?: object): Promise<number> =>
      report(insurer, { rupa_id, event: 'policy_issued', amount, occurred_at: '2026-01-0' + String(amount / 1000), payload });
    const lasting = await issue(1000);
    await issue(2000, { expires_at: '2026-06-01' });
    const running = await issue(3000, { expires_at: '2199-01-01' });
    expect(await section(rupa_id, 'underwriting_value')).toStrictEqual({
      currency: 'NGN',
      total_active_coverage: 4000,
      active_policies: [
        {
          contribution_id: running,
          amount: 3000,
          currency: 'NGN',
          issued_at: '2026-01-03T00:00:00.000Z',
          expires_at: '2199-01-01T00:00:00.000Z',
        },
        { contribution_id: lasting, amount: 1000, currency: 'NGN', issued_at: '2026-01-01T00:00:00.000Z', expires_at: null },
      ],
      data_as_of: expect.any(String),
    });
  });

  it('of harvest_record or input_purchase appears in the farm data and counts towards the tier', async () => {
    const rupa_id = await newFarmer({ farms: { farms: [{ farm_id: 'F1', crops: ['maize'] }] } });
    const tier = async (): Promise<unknown> => (await reader.lookup(rupa_id, { sections: ['wallet'] })).body.data.meta;
    expect(await tier()).toMatchObject({ profile_completeness: 0, tier_criteria: { harvest_history: false } });
    const harvest = await report(agtech, {
      rupa_id,
      event: 'harvest_record',
      amount: 5,
      occurred_at: '2026-07-07',
      payload: { item: 'maize', quantity: 1.5, unit: 't', buyer: 'Kestrel Agtech' },
    });
    const inputs = await report(agtech, { rupa_id, event: 'input_purchase', occurred_at: '2026-08-08' });
    expect(await section(rupa_id, 'farms')).toStrictEqual({
      farms: [
        {
          farm_id: 'F1',
          name: null,
          state: null,
          lga: null,
          size_hectares: null,
          land_tenure: null,
          latitude: null,
          longitude: null,
          gps_verified: false,
          ndvi: null,
          crops: ['maize'],
          livestock: [],
        },
      ],
      harvests: [
        {
          contribution_id: harvest,
          reporter_type: 'agtech',
          amount: 5,
          currency: 'NGN',
          item: 'maize',
          quantity: 1.5,
          unit: 't',
          harvested_at: '2026-07-07T00:00:00.000Z',
        },
      ],
      input_purchases: [
        {
          contribution_id: inputs,
          reporter_type: 'agtech',
          amount: null,
          currency: 'NGN',
          item: null,
          quantity: null,
          unit: null,
          purchased_at: '2026-08-08T00:00:00.000Z',
        },
      ],
      data_as_of: expect.any(String),
    });
    expect(await tier()).toMatchObject({ profile_tier: 'bronze', profile_completeness: 15, tier_criteria: { harvest_history: true } });
    expect((await admin(service, 'GET', `/farmers/${rupa_id}`)).body.data).toMatchObject({ profile_completeness: 15 });
  });

  it('of loan_defaulted, claim_filed or claim_settled appears in no section but counts as a contribution', async () => {
    const rupa_id = await newFarmer();
    const sections = { sections: ['credit_history', 'outstanding_loans', 'underwriting_value', 'farms'] };
    const seen = async (): Promise<object> => {
      const { queried_at, billing, ...shown } = (await reader.lookup(rupa_id, sections)).body.data;
      return shown;
    };
    const before = await seen();
    await report(lender, { rupa_id, event: 'loan_defaulted', amount: 5 });
    await report(insurer, { rupa_id, event: 'claim_filed', amount: 5 });
    await report(insurer, { rupa_id, event: 'claim_settled', amount: 5 });
    expect(await seen()).toStrictEqual(before);
    expect((await insurer.call('GET', '/me')).body.data.compliance).toMatchObject({ contributions_received: 5 });
  });

  it('moves to another farmer, event and section when it is updated', async () => {
    const [from, to] = [await newFarmer(), await newFarmer()];
    const id = await report(lender, { rupa_id: from, event: 'loan_disbursed', amount: 10, partner_reference: 'moving' });
    expect(await report(lender, { rupa_id: to, event: 'loan_repayment', amount: 20, partner_reference: 'moving' })).toBe(id);
    expect(await section(from, 'outstanding_loans')).toMatchObject({ total_outstanding: 0, partner_loans: [] });
    expect(await section(to, 'outstanding_loans')).toMatchObject({ partner_loans: [] });
    expect(await section(to, 'credit_history')).toMatchObject({ partner_reported_repayments: [{ contribution_id: id, amount: 20 }] });
  });

  it('is listed only among the newest hundred, but always part of the total', async () => {
    const rupa_id = await newFarmer();
    const day = (number: number): string => new Date(Date.UTC(2026, 0, 1 + number)).toISOString();
    await Promise.all(
      Array.from({ length: 103 }, (_, number) => report(lender, { rupa_id, event: 'loan_disbursed', amount: 1, occurred_at: day(number) })),
    );
    const { total_outstanding, partner_loans } = (await section(rupa_id, 'outstanding_loans')) as {
      total_outstanding: number;
      partner_loans: { disbursed_at: string }[];
    };
    expect(total_outstanding).toBe(103);
    expect(partner_loans.map(({ disbursed_at }) => disbursed_at)).toStrictEqual(
      Array.from({ length: 100 }, (_, index) => day(102 - index)),
    );
  });

  it('never reveals the reporting partner', async () => {
    const rupa_id = await newFarmer();
    const payload = { officer: 'Kestrel officer', item: 'seed' };
    await report(lender, { rupa_id, event: 'loan_disbursed', amount: 5, partner_reference: 'kestrel-77', payload });
    await report(insurer, { rupa_id, event: 'policy_issued', amount: 5, partner_reference: 'kestrel-78', payload });
    await report(agtech, { rupa_id, event: 'input_purchase', amount: 5, partner_reference: 'kestrel-79', payload });
    const text = JSON.stringify((await reader.lookup(rupa_id)).body).toLowerCase();
    expect(text).toContain('seed');
    for (const secret of ['kestrel', lender.partner_id, insurer.partner_id, agtech.partner_id]) expect(text).not.toContain(secret);
  });
});
