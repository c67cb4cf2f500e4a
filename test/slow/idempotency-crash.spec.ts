import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, type ApiResponse, balanceOf, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

describe('a lookup that is retried with an Idempotency-Key', () => {
  let service: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await startService({}, { repeats: true });
    bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-1', {});
  });
  afterAll(() => service.stop());

  const lookUp = (key: string): Promise<ApiResponse> =>
    bank.call('POST', '/lookup', { rupa_id: 'rp-1', sections: ['identity'] }, { 'Idempotency-Key': key });

  it('is charged once, no matter when the service was killed', async () => {
    const keys = Array.from({ length: 40 }, (_, number) => `crash-${number}`);
    const before = await balanceOf(service, bank);
    const running = keys.map((key) =>
      lookUp(key)
        .then(({ status }) => status)
        .catch(() => 0),
    );
    await Promise.race(running);
    await service.kill();
    await Promise.all(running);
    await service.restart();
    for (const key of keys) expect(await until(async () => ((await lookUp(key)).status === 200 ? 200 : undefined))).toBe(200);
    expect(before - (await balanceOf(service, bank))).toBe(keys.length * 50);
    const entries = await entriesOf(service, bank);
    const count = (type: string): number => entries.filter((entry) => entry.type === type).length;
    expect(new Set(entries.flatMap(({ type, lookup_id }) => (type === 'WalletDebited' ? [lookup_id] : []))).size).toBe(
      count('WalletDebited'),
    );
  });
});
