import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, makePartner } from '../support/client.js';
import { MANDATORY } from '../support/section-facts.js';
import { type TestService } from '../support/service.js';

/** The price book applies to all partners, so this spec runs an application of its own. */
describe('the price book', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startApplication();
  });
  afterAll(() => service.stop());

  it('is replaced as a whole and applies to the next lookup', async () => {
    const { version, fees } = (await admin(service, 'GET', '/price-book')).body.data as { version: number; fees: Record<string, number> };
    expect([version, fees['passthrough.credit_bureau']]).toStrictEqual([1, 500]);
    const raised = { ...fees, 'svc_fee.identity': 75.25 };
    expect((await admin(service, 'PUT', '/price-book', { fees: raised })).body.data).toStrictEqual({
      version: 2,
      fees: raised,
      vat_percent: 0,
      scheduled: null,
    });
    const bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-priced', {});
    expect((await bank.lookup('rp-priced', { sections: ['identity'] })).body.data.billing).toMatchObject({
      amount_charged: 75.25,
      credits: 8,
    });
    expect((await bank.call('GET', '/prices')).body.data).toStrictEqual({
      version: 2,
      currency: 'NGN',
      fees: raised,
      vat_percent: 0,
      prices_include_vat: true,
      lookup: { sections: MANDATORY.bank, amount: 525.25 },
      credit_value: 10,
    });
    expect((await admin(service, 'PUT', '/price-book', { fees: raised })).body.data.version).toBe(2);
    // A field that is null counts as not sent.
    expect((await admin(service, 'PUT', '/price-book', { fees, effective_at: null })).body.data).toStrictEqual({
      version: 3,
      fees,
      vat_percent: 0,
      scheduled: null,
    });
  });

  it('refuses an incomplete book, an unknown fee and a negative fee', async () => {
    const { fees } = (await admin(service, 'GET', '/price-book')).body.data as { fees: Record<string, number> };
    const { 'svc_fee.wallet': _left, ...part } = fees;
    const errors = async (body: unknown) => (await admin(service, 'PUT', '/price-book', { fees: body })).body.data.errors as object;
    expect(Object.keys(await errors(part))).toStrictEqual(['fees.svc_fee.wallet']);
    expect(Object.keys(await errors({ ...fees, tip: 1 }))).toStrictEqual(['fees.tip']);
    expect(Object.keys(await errors({ ...fees, 'svc_fee.wallet': -1 }))).toStrictEqual(['fees.svc_fee.wallet']);
  });

  it('answers each of the callers that replace it at once with the fees of that caller, or asks to read it again', async () => {
    const { fees, version } = (await admin(service, 'GET', '/price-book')).body.data as { version: number; fees: Record<string, number> };
    const books = Array.from({ length: 8 }, (_, index) => ({ ...fees, 'svc_fee.identity': 100 + index }));
    const responses = await Promise.all(books.map((book) => admin(service, 'PUT', '/price-book', { fees: book })));
    const published = responses.flatMap(({ status, body }, index) => {
      if (status !== 200) return [];
      expect(body.data.fees).toStrictEqual(books[index]);
      return [body.data.version as number];
    });
    expect(responses.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toStrictEqual([]);
    // Each book got a version of its own, and none is missing.
    expect(published.sort((one, other) => one - other)).toStrictEqual(published.map((_, index) => version + 1 + index));
    expect(published.length).toBeGreaterThan(0);
    const last = responses.findIndex(({ body }) => body.data.version === published.at(-1));
    expect((await admin(service, 'GET', '/price-book')).body.data).toMatchObject({ version: published.at(-1), fees: books[last] });
    await admin(service, 'PUT', '/price-book', { fees });
  });

  it('rounds the credits of a lookup up', async () => {
    const all = await makePartner(service);
    await admin(service, 'PUT', `/partners/${all.partner_id}/optional-sections`, { sections: ['wallet'] });
    await admin(service, 'PUT', '/farmers/rp-rounded', {});
    const book = (await admin(service, 'GET', '/price-book')).body.data as { fees: Record<string, number> };
    await admin(service, 'PUT', '/price-book', { fees: { ...book.fees, 'svc_fee.wallet': 50.01 } });
    expect((await all.lookup('rp-rounded', { sections: ['wallet'] })).body.data.billing).toMatchObject({
      amount_charged: 50.01,
      currency: 'NGN',
      credits: 6,
      breakdown: { 'svc_fee.wallet': 50.01 },
    });
  });
});
