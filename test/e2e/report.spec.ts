import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

describe('a report', () => {
  let service: Application;
  let bank: TestPartner;
  let insurer: TestPartner;
  let agtech: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    insurer = await makePartner(service, { account_type: 'insurer' });
    agtech = await makePartner(service, { account_type: 'agtech' });
    for (const id of ['rp-report-1', 'rp-report-2', 'rp-report-3']) await admin(service, 'PUT', `/farmers/${id}`, {});
  });

  const report = (partner: TestPartner, body: object): Promise<ApiResponse> =>
    partner.call('POST', '/report', { rupa_id: 'rp-report-1', ...body });

  it('returns what was recorded (4.1)', async () => {
    const { status, body } = await report(bank, {
      rupa_id: ' RP-REPORT-1 ',
      event: 'loan_disbursed',
      amount: 1000.5,
      partner_reference: 'answered',
    });
    expect([status, body]).toStrictEqual([
      200,
      {
        success: true,
        message: 'Contribution recorded.',
        data: { recorded: true, created: true, contribution_id: expect.any(Number), event: 'loan_disbursed', rupa_id: 'rp-report-1' },
      },
    ]);
    expect(Number.isInteger(body.data.contribution_id)).toBe(true);
  });

  it('updates the contribution with the same reference (rule 4)', async () => {
    const first = await report(bank, { event: 'loan_disbursed', amount: 10, partner_reference: 'again' });
    const second = await report(bank, { event: 'loan_defaulted', amount: 20, partner_reference: ' again ' });
    expect(second.body).toStrictEqual({
      success: true,
      message: 'Contribution updated.',
      data: {
        recorded: true,
        created: false,
        contribution_id: first.body.data.contribution_id,
        event: 'loan_defaulted',
        rupa_id: 'rp-report-1',
      },
    });
  });

  it('creates a contribution per partner and reference, and one for every report without a reference', async () => {
    const ids = new Set<unknown>();
    for (const partner of [bank, await makePartner(service)]) {
      const { body } = await report(partner, { event: 'loan_disbursed', partner_reference: 'shared' });
      expect(body.data.created).toBe(true);
      ids.add(body.data.contribution_id);
    }
    for (let time = 0; time < 2; time += 1) ids.add((await report(bank, { event: 'loan_disbursed', amount: 5 })).body.data.contribution_id);
    expect(ids.size).toBe(4);
  });

  it('creates one contribution when a hundred identical reports arrive concurrently', async () => {
    const { contributions_received: before } = (await bank.call('GET', '/me')).body.data.compliance as { contributions_received: number };
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => report(bank, { event: 'loan_disbursed', amount: 7, partner_reference: 'race' })),
    );
    expect(responses.map(({ status }) => status)).toStrictEqual(Array.from({ length: 100 }, () => 200));
    expect(new Set(responses.map(({ body }) => body.data.contribution_id)).size).toBe(1);
    expect(responses.filter(({ body }) => body.data.created)).toHaveLength(1);
    expect((await bank.call('GET', '/me')).body.data.compliance).toMatchObject({ contributions_received: before + 1 });
  });

  it('creates one contribution when different reports with the same reference arrive concurrently', async () => {
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, amount) =>
        report(bank, { rupa_id: 'rp-report-3', event: 'loan_disbursed', amount, partner_reference: 'differing' }),
      ),
    );
    expect(responses.filter(({ body }) => body.data.created)).toHaveLength(1);
    expect((await bank.lookup('rp-report-3', { sections: ['outstanding_loans'] })).body.data.outstanding_loans).toMatchObject({
      partner_loans: [{ contribution_id: responses[0]?.body.data.contribution_id }],
    });
  });

  it('is free, and accepted from a pending partner', async () => {
    const pending = await makePartner(service, { active: false, credit: 0 });
    expect((await report(pending, { event: 'loan_repayment' })).status).toBe(200);
  });

  it('may use only the events of the partner’s account type (4.1)', async () => {
    const allowed = {
      bank: ['loan_disbursed', 'loan_repayment', 'loan_defaulted'],
      insurer: ['policy_issued', 'claim_filed', 'claim_settled'],
      agtech: ['input_purchase', 'harvest_record'],
    };
    for (const [type, partner] of Object.entries({ bank, insurer, agtech })) {
      for (const [owner, events] of Object.entries(allowed)) {
        for (const event of events) {
          const { status, body } = await report(partner, { event });
          if (owner === type) expect(status).toBe(200);
          else
            expect([status, body.message, Object.keys((body.data as { errors: object }).errors)]).toStrictEqual([
              422,
              'Validation Error',
              ['event'],
            ]);
        }
      }
    }
  });

  const tomorrow = new Date(Date.now() + 25 * 60 * 60 * 1000).toISOString();
  it.each([
    ['missing rupa_id', { rupa_id: undefined }, { rupa_id: ['The rupa id field is required.'] }],
    ['missing event', { event: undefined }, { event: ['The event field is required.'] }],
    [
      'empty rupa_id and null event',
      { rupa_id: '', event: null },
      { rupa_id: ['The rupa id field is required.'], event: ['The event field is required.'] },
    ],
    [
      'rupa_id of 65 characters',
      { rupa_id: 'a'.repeat(65) },
      { rupa_id: ['The rupa id field must have 1 to 64 letters, digits and hyphens.'] },
    ],
    [
      'event of another account type',
      { event: 'harvest_record' },
      { event: ['The event field must be one of loan_disbursed, loan_repayment, loan_defaulted.'] },
    ],
    ['negative amount', { amount: -0.01 }, { amount: ['The amount field must be at least 0.'] }],
    ['amount of three decimals', { amount: 0.001 }, { amount: ['The amount field must be a number with at most two decimals.'] }],
    ['amount as text', { amount: '5' }, { amount: ['The amount field must be a number with at most two decimals.'] }],
    ['amount beyond kobo', { amount: 1e14 }, { amount: ['The amount field is too large a number.'] }],
    ['invalid currency', { currency: 'naira' }, { currency: ['The currency field must be an ISO 4217 code.'] }],
    [
      'reference of 256 characters',
      { partner_reference: 'r'.repeat(256) },
      { partner_reference: ['The partner reference field must not be greater than 255 characters.'] },
    ],
    ['reference that is not text', { partner_reference: 7 }, { partner_reference: ['The partner reference field must be a string.'] }],
    [
      'time without an offset',
      { occurred_at: '2024-02-29T10:00:00' },
      { occurred_at: ['The occurred at field must have an offset after its time, such as Z or +01:00.'] },
    ],
    ['date before 1900', { occurred_at: '1899-12-31' }, { occurred_at: ['The occurred at field must not be before 1900.'] }],
    ['far future', { occurred_at: '2999-01-01' }, { occurred_at: ['The occurred at field must not be more than a day in the future.'] }],
    ['invalid time', { occurred_at: 'yesterday' }, { occurred_at: ['The occurred at field must be an ISO 8601 date or timestamp.'] }],
    [
      'date that does not exist',
      { occurred_at: '2026-02-30' },
      { occurred_at: ['The occurred at field must be an ISO 8601 date or timestamp.'] },
    ],
    [
      'time more than a day ahead',
      { occurred_at: tomorrow },
      { occurred_at: ['The occurred at field must not be more than a day in the future.'] },
    ],
    ['payload that is a list', { payload: [] }, { payload: ['The payload field must be an object.'] }],
    [
      'payload over 16 KiB',
      { payload: { text: 'x'.repeat(16_384) } },
      { payload: ['The payload field must not be greater than 16384 bytes as JSON.'] },
    ],
    ['payload with NUL', { payload: { a: 'b\u0000' } }, { 'payload.a': ['The payload.a field must be well-formed text without NUL.'] }],
    [
      'loan reference that is not text',
      { event: 'loan_repayment', payload: { loan_reference: 7 } },
      { 'payload.loan_reference': ['The payload.loan reference field must be a string of at most 255 characters.'] },
    ],
  ])('is refused with a message: %s', async (_, over, errors) => {
    const { status, body } = await report(bank, { event: 'loan_disbursed', ...over });
    expect([status, body]).toStrictEqual([
      422,
      {
        success: false,
        message: 'Validation Error',
        code: 'validation_failed',
        doc_url: expect.stringMatching(/#validation_failed$/),
        data: { errors },
      },
    ]);
  });

  it('is refused when the end of a policy is not a date', async () => {
    expect((await report(insurer, { event: 'policy_issued', payload: { expires_at: 'next year' } })).body.data).toStrictEqual({
      errors: { 'payload.expires_at': ['The payload.expires at field must be an ISO 8601 date or timestamp.'] },
    });
  });

  it('is accepted at the limits: 255 and 64 characters, 16 KiB, almost a day ahead, an amount of 0', async () => {
    await admin(service, 'PUT', `/farmers/${'f'.repeat(64)}`, {});
    const soon = new Date(Date.now() + 23 * 60 * 60 * 1000).toISOString();
    const body = {
      rupa_id: 'f'.repeat(64),
      event: 'loan_disbursed',
      amount: 0,
      partner_reference: 'ü'.repeat(255),
      occurred_at: soon,
      payload: { text: 'x'.repeat(16_384 - 11) },
    };
    expect((await report(bank, body)).status).toBe(200);
  });

  it('responds 404 for an unknown id (rule 3)', async () => {
    expect(await report(bank, { rupa_id: 'rp-report-nobody', event: 'loan_disbursed' })).toMatchObject({
      status: 404,
      body: { success: false, message: 'No farmer found for that Rupa ID.', code: 'farmer_not_found' },
    });
  });
});
