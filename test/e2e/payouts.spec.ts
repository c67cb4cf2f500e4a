import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, balanceOf, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { withinOne } from '../support/one-period.js';
import { type Application } from '../support/service.js';

let service: Application;
let bank: TestPartner;

beforeAll(async () => {
  service = await sharedApplication();
});
const makeBank = async (): Promise<void> => {
  bank = await makePartner(service, { credit: 0 });
  await wallet('credits', { amount: 1_000, reference: 'r1' });
};
beforeEach(makeBank);

const wallet = async (call: 'credits' | 'reversals' | 'payouts', body: object): Promise<ApiResponse> =>
  await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/${call}`, body);
const payOut = async (body: object): Promise<ApiResponse> =>
  await wallet('payouts', { amount: 400.5, reference: 'p1', reason: 'the partner asked for it', ...body });
const REVERSAL = { credit_reference: 'r1', amount: 10, reason: 'a mistake' };

describe('a payout', () => {
  it('takes money from the balance, once per reference', async () => {
    expect(await payOut({})).toMatchObject({ status: 201, body: { data: { balance: 599.5, created: true } } });
    expect(await payOut({})).toMatchObject({ status: 200, body: { data: { balance: 599.5, created: false } } });
    expect(await balanceOf(service, bank)).toBe(599.5);
    expect(await entriesOf(service, bank)).toMatchObject([
      { type: 'WalletCredited' },
      { type: 'WalletPaidOut', amount: -400.5, balance_after: 599.5, reference: 'p1', reason: 'the partner asked for it' },
    ]);
    const verification = await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`);
    expect(verification.body.data).toMatchObject({ ok: true, entries: 2 });
  });

  it('pays out all of the balance and not a kobo more', async () => {
    expect(await payOut({ amount: 1_000.01 })).toMatchObject({
      status: 409,
      body: { code: 'conflict', data: { available_amount: 1_000 } },
    });
    expect(await payOut({ amount: 1_000 })).toMatchObject({ status: 201, body: { data: { balance: 0 } } });
  });

  it('shares its references with credits and reversals', async () => {
    await payOut({});
    await wallet('reversals', { ...REVERSAL, reference: 'v1' });
    const refused = [
      await payOut({ amount: 1 }),
      await payOut({ reference: 'r1' }),
      await payOut({ reference: 'v1' }),
      await wallet('credits', { amount: 400.5, reference: 'p1' }),
      await wallet('reversals', { ...REVERSAL, reference: 'p1' }),
    ];
    expect(refused).toMatchObject(refused.map(() => ({ status: 409, body: { code: 'conflict' } })));
    expect(refused.filter(({ body }) => 'data' in body)).toStrictEqual([]);
  });

  it('never takes more than there is, however many arrive at the same time', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, async (_unused, index) => await payOut({ amount: 300, reference: `p${index}` })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await balanceOf(service, bank)).toBe(100);
  });

  it.each([{ amount: 0 }, { amount: 0.001 }, { reference: ' ' }, { reason: '' }, { reference: 'x'.repeat(256) }, { kind: 'payment' }])(
    'is refused with %j',
    async (change) => {
      const { status, body } = await payOut(change);
      expect([status, Object.keys(body.data.errors as object)]).toStrictEqual([422, Object.keys(change)]);
    },
  );

  it('is cash that goes out, and a line of the statement', async () => {
    const cash = async (): Promise<number> => {
      const { body } = await admin(service, 'GET', '/ledger/trial-balance');
      const { accounts } = body.data as { accounts: { account: string; credit: number }[] };
      return accounts.find(({ account }) => account === 'cash_received')?.credit ?? 0;
    };
    await withinOne('month', async (month) => {
      await makeBank();
      const before = await cash();
      await payOut({});
      // Other tests have wallets in the same books, and none of them pays out while this one runs.
      expect(await cash()).toBeCloseTo(before + 400.5, 2);
      const statement = await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/statements/${month}`);
      expect(statement.body.data).toMatchObject({
        credits: {
          total: 599.5,
          items: [
            { kind: 'payment', amount: 1_000 },
            { kind: 'payout', amount: -400.5, credit_reference: null },
          ],
        },
      });
    });
  });
});
