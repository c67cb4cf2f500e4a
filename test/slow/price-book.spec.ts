import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { toNaira } from '../../src/kernel/money.js';
import { DEFAULT_PRICE_BOOK } from '../../src/contexts/pricing/domain/price-book.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { admin, makePartner } from '../support/client.js';
import { run } from '../support/rupa.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { startWithoutWaiting } from '../support/starting.js';
import { until } from '../support/until.js';

/** The fees as published by a release without the section `farms`. */
const { 'svc_fee.farms': _farms, ...OLD } = DEFAULT_PRICE_BOOK.fees_kobo;
const WHOLE = Object.fromEntries(Object.entries(DEFAULT_PRICE_BOOK.fees_kobo).map(([key, fee_kobo]) => [key, toNaira(fee_kobo) + 1]));

describe('a price book without one of the fees', () => {
  let stores: SharedStores;

  beforeAll(async () => {
    stores = await startSharedStores();
  });
  afterAll(() => stores.close());

  async function publishOld(version: number): Promise<void> {
    const eventStore = new EventStore(stores.store.connectionString);
    const last = await eventStore.lastEvent('pricebook-main');
    const data = { version, fees_kobo: OLD, recorded_at: new Date().toISOString(), actor: 'another release' };
    const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
    await eventStore.append('pricebook-main', [{ id: randomUUID(), type: 'PriceBookPublished', data, metadata }], last?.revision ?? -1n);
    await eventStore.close();
  }

  it('fails the lookups that need the fee without a charge, and serves the others', async () => {
    const service = await stores.start('api,projector', {}, { repeats: true });
    const partner = await makePartner(service);
    await admin(service, 'PUT', `/partners/${partner.partner_id}/optional-sections`, { sections: ['farms'] });
    await admin(service, 'PUT', '/farmers/rp-1', {});
    const balance = async (): Promise<unknown> => (await partner.call('GET', '/me')).body.data.wallet_balance;
    await publishOld(2);
    await until(async () => (await partner.lookup('rp-1', { sections: ['farms'] })).status === 500);
    const before = await balance();
    const failed = await partner.lookup('rp-1', { sections: ['identity', 'farms'] });
    expect(failed).toMatchObject({
      status: 500,
      body: { success: false, message: 'Something went wrong on our side. Please retry with backoff.', code: 'internal_error' },
    });
    expect(await balance()).toBe(before);
    expect((await partner.lookup('rp-1', { sections: ['identity'] })).body.data.billing).toMatchObject({ amount_charged: 50 });
    await until(() => service.output().includes('has no fee for svc_fee.farms'));
    expect(await service.interrupt()).toBe(0);
  });

  it('prevents the API from starting until a complete book is published on the command line', async () => {
    const refused = startWithoutWaiting({ ...stores.env, ROLES: 'api,projector' });
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toContain(
      'The price book (version 2) has no fee for svc_fee.farms. Publish one that has every fee: rupa prices publish, or PUT /admin/v1/price-book.',
    );
    const publish = (fees: object, ...options: string[]) =>
      run(process.execPath, ['dist/src/cli.js', 'prices', 'publish', '-', ...options], stores.env, JSON.stringify({ fees }));
    const { 'svc_fee.farms': _left, ...part } = WHOLE;
    expect(await publish(part)).toMatchObject({ code: 2, err: expect.stringContaining('The fees.svc fee.farms field is required.') });
    for (const rate of ['101', '7.555', '7,5', '-1'])
      expect(await publish(WHOLE, `--vat=${rate}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('from 0 to 100 with at most two decimals'),
      });
    expect(await publish(WHOLE, '--vat', '7.50')).toMatchObject({ code: 0, out: 'Price book version 3 is in force.\n' });
    const service = await stores.start('api,projector', {}, { repeats: true });
    expect((await admin(service, 'GET', '/price-book')).body.data).toStrictEqual({
      version: 3,
      fees: WHOLE,
      vat_percent: 7.5,
      scheduled: null,
    });
  });
});
