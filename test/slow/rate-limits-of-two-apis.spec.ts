import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';

const LIMIT = 100;
const CALLS = 300;

describe('the rate limit of a partner with two APIs', () => {
  let stores: SharedStores;
  let apis: TestService[];

  beforeAll(async () => {
    stores = await startSharedStores();
    await stores.start('projector');
    const limited = { RATE_LIMIT_LIVE_PER_SECOND: String(LIMIT) };
    apis = await Promise.all([stores.start('api', limited), stores.start('api', limited)]);
  });
  afterAll(() => stores.close());

  /** Sends the calls at once, each to the API that `choose` names, and returns how many were served in each window of a second. */
  async function servedInWindows(partner: TestPartner, choose: (call: number) => number): Promise<{ served: number; windows: number }> {
    const [one, other] = apis.map((api) => partnerWith(api, partner.partner_id, partner.key));
    const startedAt = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: CALLS }, async (_, call) => (await (choose(call) === 0 ? one : other)?.call('GET', '/me'))?.status),
    );
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toStrictEqual([]);
    return { served: statuses.filter((status) => status === 200).length, windows: Math.floor((performance.now() - startedAt) / 1_000) + 1 };
  }

  it('holds exactly where a balancer that hashes the API key sends all its calls to one of them', async () => {
    const partner = await makePartner(apis[0] as TestService);
    const { served, windows } = await servedInWindows(partner, () => 0);
    expect(served).toBeGreaterThanOrEqual(LIMIT);
    expect(served).toBeLessThanOrEqual(LIMIT * windows);
  });

  it('holds for each of them where a balancer takes turns, so that the partner gets at most twice as many', async () => {
    const partner = await makePartner(apis[0] as TestService);
    const { served, windows } = await servedInWindows(partner, (call) => call % 2);
    expect(served).toBeLessThanOrEqual(2 * LIMIT * windows);
    expect(served).toBeGreaterThan(LIMIT);
  });
});
