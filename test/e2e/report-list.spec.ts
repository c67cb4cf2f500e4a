import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

describe('a list of reports', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    for (const id of ['rp-list-1', 'rp-list-2']) await admin(service, 'PUT', `/farmers/${id}`, {});
  });

  const repayment = (more: object = {}): object => ({ rupa_id: 'rp-list-1', event: 'loan_repayment', amount: 5, ...more });
  const send = (reports: unknown, partner = bank, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    partner.call('POST', '/reports', { reports }, headers);
  const contributions = async (partner: TestPartner): Promise<unknown[]> =>
    (await partner.call('GET', '/contributions?limit=100')).body.data.contributions as unknown[];

  it('is recorded in its order, with what became of each report', async () => {
    const partner = await makePartner(service);
    const { status, body } = await send(
      [
        repayment({ partner_reference: 'one' }),
        repayment({ rupa_id: 'rp-list-2' }),
        repayment({ rupa_id: 'rp-list-nobody' }),
        repayment({ event: 'harvest_record' }),
        null,
        repayment({ amount: 7, partner_reference: 'one' }),
      ],
      partner,
    );
    const [first] = body.data.results as { contribution_id: number }[];
    expect([status, body]).toStrictEqual([
      200,
      {
        success: true,
        data: {
          results: [
            { index: 0, outcome: 'created', contribution_id: expect.any(Number) },
            { index: 1, outcome: 'created', contribution_id: expect.any(Number) },
            { index: 2, outcome: 'refused', code: 'farmer_not_found' },
            { index: 3, outcome: 'refused', code: 'validation_failed', errors: { event: [expect.any(String)] } },
            { index: 4, outcome: 'refused', code: 'validation_failed', errors: { 'reports.4': [expect.any(String)] } },
            { index: 5, outcome: 'updated', contribution_id: first?.contribution_id },
          ],
          summary: { requested: 6, created: 2, updated: 1, refused: 3 },
        },
      },
    ]);
    expect((await contributions(partner)).length).toBe(2);
    expect(await contributions(partner)).toContainEqual(expect.objectContaining({ partner_reference: 'one', amount: 7 }));
  });

  it('takes 100 reports of a body larger than 64 KiB, and is free', async () => {
    const partner = await makePartner(service);
    const before = (await partner.call('GET', '/me')).body.data.wallet_balance;
    const { body } = await send(
      Array.from({ length: 100 }, () => repayment({ payload: { note: 'x'.repeat(2_000) } })),
      partner,
    );
    expect(body.data.summary).toStrictEqual({ requested: 100, created: 100, updated: 0, refused: 0 });
    expect((await partner.call('GET', '/me')).body.data.wallet_balance).toBe(before);
    expect(await contributions(partner)).toHaveLength(100);
  });

  it('is refused as a whole for what is wrong with the list', async () => {
    const errors = async (body: unknown): Promise<unknown> => {
      const { status, body: response } = await bank.call('POST', '/reports', body);
      return [status, response.data.errors];
    };
    expect(await errors({})).toStrictEqual([422, { reports: ['The reports field is required.'] }]);
    expect(await errors({ reports: [] })).toStrictEqual([422, { reports: ['The reports field must have at least 1 item.'] }]);
    expect(await errors({ reports: 7 })).toStrictEqual([422, { reports: ['The reports field must be a list.'] }]);
    expect(await errors({ reports: Array.from({ length: 101 }, () => repayment()) })).toStrictEqual([
      422,
      { reports: ['The reports field must not have more than 100 items.'] },
    ]);
    expect(await errors({ report: [], reports: [repayment()] })).toStrictEqual([
      422,
      { report: ['The report field is not known. Did you mean reports?'] },
    ]);
    expect(await errors([])).toStrictEqual([422, { body: ['The body must be a JSON object.'] }]);
  });

  it('is refused with 413 above 1 MiB, and says so', async () => {
    const { status, body } = await send(Array.from({ length: 100 }, () => repayment({ payload: { note: 'x'.repeat(11_000) } })));
    expect([status, body]).toMatchObject([413, { code: 'body_too_large', message: expect.stringContaining('1 MiB') }]);
  });

  it('says in its headers how many lists may run at once', async () => {
    const { headers } = await send([repayment()]);
    expect(headers.get('ratelimit-policy')).toMatch(/"running";q=4;qu="concurrent-requests"$/);
    expect(headers.get('ratelimit')).toMatch(/"running";r=3$/);
  });

  it('gets the stored response for its Idempotency-Key, also if a report holds what cannot be stored', async () => {
    const partner = await makePartner(service);
    const reports = [repayment(), repayment({ payload: { a: '\0' } })];
    const [first, again] = [
      await send(reports, partner, { 'Idempotency-Key': 'month-1' }),
      await send(reports, partner, { 'Idempotency-Key': 'month-1' }),
    ];
    expect(first.body.data.summary).toStrictEqual({ requested: 2, created: 1, updated: 0, refused: 1 });
    expect([again.headers.get('Idempotent-Replayed'), again.body]).toStrictEqual(['true', first.body]);
    expect(await contributions(partner)).toHaveLength(1);
    expect(await send([repayment()], partner, { 'Idempotency-Key': 'month-1' })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
  });
});
