import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { testPool } from '../support/database.js';
import { admin, type ApiResponse, balanceOf, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const LISTS = ['/me', '/lookups', '/consents', '/contributions'];

interface Health {
  readonly status: string;
  readonly reasons?: readonly string[];
}

describe('two APIs whose read models are in trouble', () => {
  let stores: SharedStores;
  let projector: TestService;
  let [one, other]: TestService[] = [];
  let pool: Pool;
  let bank: TestPartner;
  const rupaId = 'rp-1';

  beforeAll(async () => {
    stores = await startSharedStores();
    projector = await stores.start('projector');
    [one, other] = [await stores.start('api', { READY_LAG_SECONDS: '1' }), await stores.start('api')];
    pool = testPool(stores.databaseUrl, 2);
    await whenServed(() => admin(api(), 'PUT', `/farmers/${rupaId}`, { identity: { first_name: 'Aisha' } }));
    bank = await makePartner(api(), { credit: 10_000_000 });
    await expectLookedUp();
    await until(async () => (await bank.call('GET', '/consents')).status === 200);
  });
  afterAll(async () => {
    await pool.end();
    await stores.close();
  });

  const api = (): TestService => {
    if (!one) throw new Error('No API was started.');
    return one;
  };
  const at = (service: TestService | undefined, method: string, path: string): Promise<ApiResponse> =>
    call(service ?? api(), method, `/v1/rupa${path}`, { headers: { 'X-API-KEY': bank.key } });
  /** Expects a list that needs no read model in trouble. Those that it needs may lag for a moment. */
  const served = async (path: string): Promise<void> => {
    const { status } = await whenServed(() => at(other, 'GET', path));
    expect([path, status]).toStrictEqual([path, 200]);
  };
  /** A read that is not served at all, because a store is slow for a moment, is made again: one that never is ends the test. */
  const health = async (): Promise<Health> => {
    const { status, body } = await whenServed(() => call(api(), 'GET', '/health/ready'));
    expect(status).toBe(200);
    return body.data as unknown as Health;
  };
  const expectLookedUp = async (): Promise<void> => {
    expect((await whenServed(() => bank.lookup(rupaId))).status).toBe(200);
  };
  const report = async (loan: object): Promise<void> => {
    expect((await whenServed(() => bank.call('POST', '/report', loan))).status).toBe(200);
  };
  const outstanding = async (id: string): Promise<unknown> => {
    const { status, body } = await whenServed(() => bank.lookup(id, { sections: ['outstanding_loans'] }));
    expect(status).toBe(200);
    return (body.data as { outstanding_loans: { total_outstanding: number } }).outstanding_loans.total_outstanding;
  };
  const loan = (amount: number, more: object = {}): object => ({
    rupa_id: rupaId,
    event: 'loan_disbursed',
    amount,
    occurred_at: '2026-01-01T00:00:00Z',
    ...more,
  });
  /** Waits until a call is refused because of this read model: a store that is slow for a moment refuses it without naming one. */
  const refusedFor = async (readModel: string, refused: () => Promise<ApiResponse>): Promise<ApiResponse> =>
    await until(async () => {
      const response = await refused();
      const { status, body } = response as unknown as { status: number; body: { code: string; data?: { read_model?: string } } };
      return status === 503 && body.code === 'unavailable' && body.data?.read_model === readModel && response;
    });

  it('serve lookups while the projector hangs, with what the API itself was told, and refuse lists that would lack something', async () => {
    const before = await outstanding(rupaId);
    const balance = await balanceOf(api(), bank);
    projector.pause();
    try {
      await report(loan(1_000, { partner_reference: 'first' }));
      expect(await outstanding(rupaId)).toBe(Number(before) + 1_000);
      // Updated and moved, all before any read model shows it.
      await report(loan(1_500, { partner_reference: 'first' }));
      await report(loan(200, { partner_reference: 'second' }));
      expect(await outstanding(rupaId)).toBe(Number(before) + 1_700);
      await until(async () => (await health()).status === 'degraded');
      expect((await health()).reasons).toContain('The read models are behind the log.');
      const models = ['partner_usage', 'wallet_entry', 'consent_roster', 'contribution'];
      const refused = await Promise.all(
        LISTS.flatMap((path, index) => [one, other].map((service) => refusedFor(models[index] ?? '', () => at(service, 'GET', path)))),
      );
      expect(refused.map(({ headers }) => headers.get('Retry-After'))).toStrictEqual(refused.map(() => '1'));
      // These need none of the read models.
      for (const path of ['/wallet/entries', '/wallet/head', '/prices', '/webhooks']) await served(path);
      // A lookup that got 503 is refunded a moment later.
      await until(async () => (await balanceOf(api(), bank)) === balance - 2 * 80);
    } finally {
      projector.resume();
    }
    await until(async () => (await health()).status === 'ready');
    expect(await outstanding(rupaId)).toBe(Number(before) + 1_700);
    for (const path of LISTS) await served(path);
  });

  it('show the same reports of a farmer from the log as from the read model', async () => {
    const id = `rp-${randomUUID()}`;
    await whenServed(() => admin(api(), 'PUT', `/farmers/${id}`, {}));
    const other_id = `rp-${randomUUID()}`;
    await whenServed(() => admin(api(), 'PUT', `/farmers/${other_id}`, {}));
    const sections = { sections: ['outstanding_loans'] };
    const shown = async (rupa_id: string): Promise<unknown> =>
      (await whenServed(() => bank.lookup(rupa_id, sections))).body.data.outstanding_loans;
    await report(loan(700, { rupa_id: id, partner_reference: 'moved' }));
    await until(async () => (await pool.query('select from read.contribution where rupa_id = $1', [id])).rowCount === 1);
    projector.pause();
    let fromLog: readonly unknown[];
    try {
      await report(loan(300, { rupa_id: id, partner_reference: 'L1' }));
      const repayment = { event: 'loan_repayment', partner_reference: 'R1', payload: { loan_reference: 'L1' } };
      await report(loan(100, { rupa_id: id, ...repayment }));
      await report(loan(50, { rupa_id: other_id, partner_reference: 'moved' }));
      fromLog = [await shown(id), await shown(other_id)];
    } finally {
      projector.resume();
    }
    await until(async () => (await health()).status === 'ready');
    expect([await shown(id), await shown(other_id)]).toStrictEqual(fromLog);
    expect(fromLog).toMatchObject([{ total_outstanding: 200 }, { total_outstanding: 50 }]);
  });

  it.each([
    ['low_balance_threshold', ['/me']],
    ['wallet_entry', ['/lookups', '/consents']],
    ['partner_usage', ['/me']],
    ['contribution', ['/contributions']],
    ['consent_roster', ['/consents']],
  ])('refuse only the lists that need %s while it is faulted', async (model, refused) => {
    await pool.query(`alter table read.${model} add constraint refused check (false) not valid`);
    try {
      await expectLookedUp();
      await report(loan(1));
      if (model === 'low_balance_threshold') await refusedFor(model, () => bank.call('PUT', '/me/low-balance', { amount: 5 }));
      await until(async () => (await health()).reasons?.includes(`The projection ${model} is faulted.`) === true);
      for (const path of LISTS) {
        if (refused.includes(path)) await refusedFor(model, () => at(other, 'GET', path));
        else await served(path);
      }
      for (let n = 0; n < 5; n += 1) await expectLookedUp();
    } finally {
      await pool.query(`alter table read.${model} drop constraint refused`);
      expect((await whenServed(() => admin(api(), 'POST', `/projections/${model}/retry`))).status).toBe(202);
    }
    await until(async () => (await health()).status === 'ready');
    for (const path of LISTS) await served(path);
  });

  it('serve lookups for MAX_STALENESS_SECONDS without a projector, and name the read model that is too old from then on', async () => {
    const strict = await stores.start('api', { MAX_STALENESS_SECONDS: '3' });
    const lookUp = (service: TestService): Promise<ApiResponse> =>
      call(service, 'POST', '/v1/rupa/lookup', { headers: { 'X-API-KEY': bank.key }, body: { rupa_id: rupaId, sections: ['identity'] } });
    // The other APIs have settled their charges, and every read model shows what they have written.
    await until(async () => (await pool.query('select from read.open_charge')).rowCount === 0);
    await until(async () => {
      const { body } = await whenServed(() => admin(strict, 'GET', '/projections'));
      return (body.data.projections as { lag: number }[]).every(({ lag }) => lag === 0);
    });
    projector.pause();
    try {
      // No read model is old for an API because of events of its own.
      for (let since = Date.now(); Date.now() - since < 5_000;) {
        const { body } = await lookUp(strict);
        expect((body.data as { read_model?: string } | undefined)?.read_model).toBeUndefined();
      }
      expect((await whenServed(() => lookUp(strict))).status).toBe(200);
      await report(loan(1));
      await refusedFor('contribution', () => lookUp(strict));
      await expectLookedUp();
    } finally {
      projector.resume();
    }
    await until(async () => (await lookUp(strict)).status === 200);
  });
});
