import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, balanceOf, entriesOf, makePartner, partnerWith, type TestPartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const CALLERS = 24;
const PRICE_NGN = 50;
const CREDIT_NGN = 1_000_000;

describe('three APIs that one partner calls in turn', () => {
  let stores: SharedStores;
  let apis: TestService[];

  beforeAll(async () => {
    stores = await startSharedStores();
    await stores.start('projector');
    apis = await Promise.all([stores.start('api'), stores.start('api'), stores.start('api')]);
    await whenServed(() => admin(first(), 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
  });
  afterAll(async () => {
    for (const api of apis) api.resume();
    await stores.close();
  });

  const first = (): TestService => apis[0] as TestService;

  /** Sends lookups from all callers, each to the next API, and returns the number of responses by API and status. */
  async function callInTurn(bank: TestPartner, count: number, onResponse: (total: number) => void = () => undefined) {
    const partners = apis.map((api) => partnerWith(api, bank.partner_id, bank.key));
    const statuses = apis.map((): Record<string, number> => ({}));
    let [sent, total] = [0, 0];
    const caller = async (): Promise<void> => {
      while (sent < count) {
        const index = (sent += 1) % apis.length;
        const status = await partners[index]?.lookup('rp-1', { sections: ['identity'] }).then(
          (response) => response.status,
          () => 0,
        );
        const counts = statuses[index] ?? {};
        counts[String(status)] = (counts[String(status)] ?? 0) + 1;
        onResponse((total += 1));
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return statuses;
  }

  async function expectCharged(bank: TestPartner, served: number): Promise<void> {
    await until(async () => (await balanceOf(first(), bank)) === CREDIT_NGN - PRICE_NGN * served);
    const entries = await entriesOf(first(), bank);
    const refunded = new Set(entries.filter(({ type }) => type === 'RefundIssued').map(({ lookup_id }) => lookup_id));
    const charged = entries.filter(({ type, lookup_id }) => type === 'WalletDebited' && !refunded.has(lookup_id));
    expect(charged).toHaveLength(served);
    expect(new Set(charged.map(({ lookup_id }) => lookup_id)).size).toBe(served);
    const { body } = await whenServed(() => admin(first(), 'GET', `/partners/${bank.partner_id}/wallet/verification`));
    expect(body.data).toMatchObject({ ok: true, fault: null });
  }

  it('refuse none of its lookups, serve equally many each, and charge each once', async () => {
    const bank = await makePartner(first(), { credit: CREDIT_NGN });
    expect(await callInTurn(bank, 900)).toStrictEqual([{ 200: 300 }, { 200: 300 }, { 200: 300 }]);
    await expectCharged(bank, 900);
  });

  it('go on without one that is killed, and charge what they served', async () => {
    const bank = await makePartner(first(), { credit: CREDIT_NGN });
    await callInTurn(bank, 90);
    let killed: Promise<void> | undefined;
    const statuses = await callInTurn(bank, 900, (total) => {
      if (total === 200) killed = apis[2]?.kill();
    });
    await killed;
    for (const counts of statuses.slice(0, 2)) expect(counts).toStrictEqual({ 200: 300 });
    await apis[2]?.restart();
    expect(await callInTurn(bank, 90)).toStrictEqual([{ 200: 30 }, { 200: 30 }, { 200: 30 }]);
    const { body } = await whenServed(() => admin(first(), 'GET', `/partners/${bank.partner_id}/wallet/verification`));
    expect(body.data).toMatchObject({ ok: true, fault: null });
  });

  it('go on while one hangs', async () => {
    const bank = await makePartner(first(), { credit: CREDIT_NGN });
    await callInTurn(bank, 90);
    const hanging = apis[2];
    hanging?.pause();
    const [viaOne, viaTwo] = apis.slice(0, 2).map((api) => partnerWith(api, bank.partner_id, bank.key));
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 ? viaOne : viaTwo)?.lookup('rp-1', { sections: ['identity'] })).filter(
        (each) => each !== undefined,
      ),
    );
    expect(new Set(responses.map((response) => response.status))).toStrictEqual(new Set([200]));
    hanging?.resume();
    await expectCharged(bank, 150);
  });
});
