import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, call, makePartner, type TestPartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const PATH = '/ledger/reconciliations';

describe('a reconciliation with a bank over HTTP', () => {
  let service: TestService;
  let bank: TestPartner;
  let today: string;

  beforeAll(async () => {
    service = await startApplication();
    bank = await makePartner(service, { credit: 0, company_name: 'Sahel Savings Bank' });
    for (const [reference, amount] of [
      ['TRF-1', 500.25],
      ['TRF-2', 70],
      ['TRF-3', 90],
    ] as const)
      await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount, reference });
    today = new Date().toISOString().slice(0, 10);
  });
  afterAll(() => service.stop());

  const body = (lines: readonly string[], more: object = {}): object => ({
    csv: ['Day,Ref,Credit', ...lines.map((line) => `${today},${line}`)].join('\n'),
    reference_column: 'Ref',
    amount_column: 'Credit',
    date_column: 'Day',
    ...more,
  });
  const asAuditor = async (path: string, sent: object): Promise<ApiResponse> =>
    await call(service, 'POST', `/admin/v1${path}`, { headers: { Authorization: `Bearer ${service.auditorToken}` }, body: sent });

  it('lists what the bank and the wallets do not have in common', async () => {
    const { status, body: found } = await admin(service, 'POST', PATH, body(['TRF-1,500.25', 'TRF-2,71', 'TRF-9,5']));
    const credit = { partner_id: bank.partner_id, company_name: 'Sahel Savings Bank', recorded_at: expect.any(String), reversed: 0 };
    expect([status, found.data]).toMatchObject([
      200,
      {
        ok: false,
        mode: 'live',
        days: 3,
        payments: 3,
        skipped: 0,
        date_order: null,
        matched: 1,
        differences: 3,
        missing_credits: [{ line: 4, reference: 'TRF-9', amount: 5, date: today }],
        missing_payments: [{ ...credit, reference: 'TRF-3', amount: 90 }],
        double_payments: [],
        double_credits: [],
        differing: [{ fields: ['amount'], payment: { line: 3, amount: 71 }, credit: { ...credit, reference: 'TRF-2', amount: 70 } }],
      },
    ]);
  });

  it('compares the wallets of one mode alone', async () => {
    const { body: found } = await admin(service, 'POST', PATH, body(['TRF-1,500.25'], { mode: 'sandbox' }));
    expect(found.data).toMatchObject({ mode: 'sandbox', matched: 0, missing_credits: [{ reference: 'TRF-1' }], missing_payments: [] });
  });

  it('may be sent by an auditor, who may send nothing else, and is in the audit trail', async () => {
    expect((await asAuditor(PATH, body(['TRF-1,500.25', 'TRF-2,70', 'TRF-3,90']))).body.data).toMatchObject({ ok: true, matched: 3 });
    expect((await asAuditor('/checkpoints', {})).status).toBe(403);
    await until(async () => {
      const { entries } = (await admin(service, 'GET', '/audit-trail?limit=200&actor=auditor')).body.data as {
        entries: { action: string; status: number }[];
      };
      return entries.some(({ action, status }) => action === `POST /admin/v1${PATH}` && status === 200);
    });
  });

  it('is recorded when it was made in the console, too', async () => {
    const auditor = new ConsoleVisitor(service);
    await auditor.signIn(service.auditorToken);
    const { csv } = body(['TRF-1,500.25', 'TRF-8,1']) as { csv: string };
    const fields = { _csrf: await auditor.csrf(), _from: '/console/books/reconciliation', mode: 'live', csv };
    const submit = async (reference: string): Promise<string> =>
      await (await auditor.submit('/console/books/reconciliation', { ...fields, reference, amount: 'Credit', date: 'Day' })).text();
    const html = await submit('Ref');
    for (const text of ['TRF-8', 'not credited', 'not at the bank', 'TRF-3']) expect(html).toContain(text);
    expect(await submit('Nowhere')).toContain('No line among the first 30 has each of the columns');
    await until(async () => {
      const { entries } = (await admin(service, 'GET', '/audit-trail?limit=200&actor=auditor')).body.data as {
        entries: { action: string; status: number }[];
      };
      return entries.some(({ action, status }) => action === `POST /admin/v1${PATH}` && status === 422);
    });
  });

  it.each<[what: string, sent: object, field: string]>([
    ['a text without the columns', { reference_column: 'Nowhere' }, 'csv'],
    ['a text that is too long', { csv: 'x'.repeat(60_001) }, 'csv'],
    ['an unknown mode', { mode: 'all' }, 'mode'],
    ['a time as the first day', { from: '2026-03-01T00:00:00Z' }, 'from'],
    ['too many days', { days: 367 }, 'days'],
    ['a period of many years', { from: '1950-01-01' }, 'csv'],
  ])('is refused for %s', async (_what, more, field) => {
    const { status, body: refused } = await admin(service, 'POST', PATH, body(['TRF-1,500.25'], more));
    expect([status, Object.keys((refused.data as { errors: object }).errors)]).toStrictEqual([422, [field]]);
  });
});
