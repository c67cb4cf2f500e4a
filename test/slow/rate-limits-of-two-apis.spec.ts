import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { crc32 } from 'node:zlib';
import { ROUTED_LENGTH } from '../../src/contexts/partners/keys/api-key-material.js';
import { admin, makePartner, partnerWith, type TestPartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

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

  /**
   * Sends the calls at once, with the keys in turn, each to the API that `choose` names.
   * @returns how many were served in how many windows; nothing if a call got 503, because that counts as a call, too, without being served
   */
  async function servedInWindows(
    { partner_id }: TestPartner,
    keys: readonly string[],
    choose: (key: string, call: number) => number,
  ): Promise<{ served: number; windows: number } | undefined> {
    const startedAt = performance.now();
    const statuses = await Promise.all(
      Array.from({ length: CALLS }, async (_, call) => {
        const key = keys[call % keys.length] ?? '';
        return (await partnerWith(apis[choose(key, call)] as TestService, partner_id, key).call('GET', '/me')).status;
      }),
    );
    if (statuses.includes(503)) return undefined;
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toStrictEqual([]);
    return { served: statuses.filter((status) => status === 200).length, windows: Math.floor((performance.now() - startedAt) / 1_000) + 1 };
  }

  it('holds exactly for all its keys together where a balancer hashes the characters that they have in common', async () => {
    const hashed = (key: string): number => crc32(key.slice(0, ROUTED_LENGTH)) % 2;
    const { served, windows } = await until(async () => {
      const partner = await makePartner(apis[0] as TestService);
      const issued = await whenServed(() => admin(apis[0] as TestService, 'POST', `/partners/${partner.partner_id}/api-keys`, {}));
      return await servedInWindows(partner, [partner.key, issued.body.data.api_key as string], hashed);
    });
    expect(served).toBeGreaterThanOrEqual(LIMIT);
    expect(served).toBeLessThanOrEqual(LIMIT * windows);
  });

  it('holds for each of them where a balancer takes turns, so that the partner gets at most twice as many', async () => {
    const { served, windows } = await until(async () => {
      const partner = await makePartner(apis[0] as TestService);
      return await servedInWindows(partner, [partner.key], (_key, call) => call % 2);
    });
    expect(served).toBeLessThanOrEqual(2 * LIMIT * windows);
    expect(served).toBeGreaterThan(LIMIT);
  });
});
