import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, balanceOf, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

describe('play money', () => {
  let service: Application;
  let sandbox: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    sandbox = await makePartner(service, { mode: 'sandbox', credit: 0, active: false });
  });

  const credit = (partner: TestPartner, body: unknown, headers: Record<string, string> = {}) =>
    partner.call('POST', '/sandbox/wallet/credits', body, headers);

  it('is added to the wallet of a sandbox account, once per Idempotency-Key', async () => {
    expect(await credit(sandbox, { amount: 1_000_000 })).toMatchObject({
      status: 201,
      body: { success: true, data: { amount: 1_000_000, balance: 1_000_000 } },
    });
    const keyed = async () => await credit(sandbox, { amount: 0.5 }, { 'Idempotency-Key': 'once' });
    const [first, second] = [await keyed(), await keyed()];
    expect([first.status, first.body.data]).toStrictEqual([201, { amount: 0.5, balance: 1_000_000.5 }]);
    expect([second.status, second.body.data, second.headers.get('Idempotent-Replayed')]).toStrictEqual([201, first.body.data, 'true']);
    expect(await balanceOf(service, sandbox)).toBe(1_000_000.5);
  });

  it('stays out of the books of live money', async () => {
    const received = async (mode: string): Promise<number> => {
      const { accounts } = (await admin(service, 'GET', `/ledger/trial-balance?mode=${mode}`)).body.data as {
        accounts: { account: string; balance: number }[];
      };
      return accounts.find(({ account }) => account === 'cash_received')?.balance ?? 0;
    };
    const before = [await received('live'), await received('sandbox')];
    await credit(sandbox, { amount: 7 });
    expect([await received('live'), await received('sandbox')]).toStrictEqual([before[0], (before[1] ?? 0) + 7]);
  });

  it.each([[{}], [{ amount: 0 }], [{ amount: 1_000_000.01 }], [{ amount: 0.001 }], [{ amount: '5' }]])('is not %j (422)', async (body) => {
    expect(await credit(sandbox, body)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', data: { errors: { amount: expect.any(Array) } } },
    });
  });

  it('is refused to a live key, before the body is looked at', async () => {
    const live = await makePartner(service);
    for (const body of [{ amount: 1 }, '{"amount":', 'x'.repeat(70_000)])
      expect(await credit(live, body)).toMatchObject({
        status: 403,
        body: { success: false, message: 'This call works with the key of a sandbox account only.', code: 'sandbox_only' },
      });
  });
});
