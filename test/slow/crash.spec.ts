import { afterEach, describe, expect, it } from '@jest/globals';
import { admin, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

describe('the service, killed while it works,', () => {
  let service: TestService;

  afterEach(() => service.stop());

  async function loadUntilKilled(bank: TestPartner, after: number): Promise<number> {
    let served = 0;
    const worker = async (): Promise<void> => {
      for (;;) {
        const { status } = await bank.lookup('rp-1', { sections: ['identity'] });
        if (status === 200) served += 1;
      }
    };
    const workers = Array.from({ length: 16 }, () => worker().catch(() => undefined));
    await until(() => served >= after);
    await service.kill();
    await Promise.all(workers);
    return served;
  }

  it('loses nothing that it acknowledged, and starts again without help', async () => {
    service = await startService({}, { repeats: true });
    await admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    const bank = await makePartner(service, { credit: 1_000_000 });
    for (const after of [50, 120]) {
      const before = (await entriesOf(service, bank)).filter(({ type }) => type === 'WalletDebited').length;
      const served = await loadUntilKilled(bank, after);
      await service.restart();
      const entries = await entriesOf(service, bank);
      const debits = entries.filter(({ type }) => type === 'WalletDebited').length - before;
      expect(debits).toBeGreaterThanOrEqual(served);
      expect(debits).toBeLessThanOrEqual(served + 16);
      // A charge of the killed process is refunded once it has been open for a minute, which may pass while a busy machine starts the service.
      const { balance_after } = entries.at(-1) ?? { balance_after: 0 };
      const refunds = entries.filter(({ type }) => type === 'RefundIssued').length;
      expect(balance_after).toBe(1_000_000 - 50 * (before + debits - refunds));
      expect((await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data).toMatchObject({
        ok: true,
        fault: null,
      });
      expect((await bank.lookup('rp-1', { sections: ['identity'] })).body.data).toMatchObject({ identity: { first_name: 'Aisha' } });
    }
  });
});

describe('the service, interrupted by Ctrl-C,', () => {
  it('completes what it has begun, exits with 0, and starts again with all its data', async () => {
    const service = await startService({}, { repeats: true });
    try {
      await admin(service, 'PUT', '/farmers/rp-1', {});
      const bank = await makePartner(service);
      const lookups = Array.from({ length: 40 }, () => bank.lookup('rp-1').catch(() => undefined));
      await Promise.race(lookups);
      expect(await service.interrupt()).toBe(0);
      const served = (await Promise.all(lookups)).filter((response) => response?.status === 200).length;
      expect(served).toBeGreaterThan(0);
      await service.restart();
      const entries = await entriesOf(service, bank);
      expect(entries.filter(({ type }) => type === 'WalletDebited').length).toBeGreaterThanOrEqual(served);
      // The shutdown settled all charges, so the sweep finds none.
      expect(entries.at(-1)?.type).toBe('ChargesSettled');
    } finally {
      await service.stop();
    }
  });
});
