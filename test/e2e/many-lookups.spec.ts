import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { sharedApplication } from '../support/application.js';
import {
  admin,
  type ApiResponse,
  balanceOf,
  entriesOf,
  makePartner,
  partnerWith,
  type TestPartner,
  whenServed,
} from '../support/client.js';
import { type Application } from '../support/service.js';

const IDENTITY = { sections: ['identity'] };

interface Result {
  readonly rupa_id: string;
  readonly outcome: string;
  readonly code?: string;
  readonly message?: string;
  readonly lookup?: { readonly rupa_id: string; readonly billing: { readonly lookup_id: string; readonly amount_charged: number } };
}

const resultsOf = ({ body }: ApiResponse): readonly Result[] => body.data.results as readonly Result[];
const outcomesOf = (response: ApiResponse): string[] => resultsOf(response).map(({ outcome }) => outcome);

let service: Application;
beforeAll(async () => {
  service = await sharedApplication();
  for (const n of [1, 2, 3]) await admin(service, 'PUT', `/farmers/rp-many-${n}`, { identity: { first_name: `Farmer ${n}` } });
});

const many = (partner: TestPartner, rupa_ids: readonly unknown[], over: object = {}, key?: string): Promise<ApiResponse> =>
  partner.call('POST', '/lookups', { rupa_ids, ...IDENTITY, ...over }, key === undefined ? {} : { 'Idempotency-Key': key });
const typesOf = async (partner: TestPartner): Promise<string[]> => (await entriesOf(service, partner)).map(({ type }) => type);

describe('a call with many lookups', () => {
  it('answers each place in the order asked, looks duplicates up once, and does not stop for a farmer that nobody has', async () => {
    const bank = await makePartner(service, { credit: 1_000 });
    const response = await many(bank, ['rp-many-2', 'rp-nobody', ' RP-MANY-1 ', 'rp-many-2']);
    expect(response.status).toBe(200);
    const [second, nobody, first, again] = resultsOf(response);
    expect(response.body.data.summary).toStrictEqual({
      requested: 4,
      found: 3,
      not_found: 1,
      not_charged: 0,
      failed: 0,
      amount_charged: 100,
      wallet_balance: 900,
      currency: 'NGN',
    });
    expect(nobody).toStrictEqual({
      rupa_id: 'rp-nobody',
      outcome: 'not_found',
      code: 'farmer_not_found',
      message: 'No farmer found for that Rupa ID.',
    });
    expect(again).toStrictEqual(second);
    expect(first).toMatchObject({
      rupa_id: 'rp-many-1',
      outcome: 'found',
      lookup: { rupa_id: 'rp-many-1', billing: { amount_charged: 50 } },
    });
    expect(await balanceOf(service, bank)).toBe(900);
  });

  it('answers for each farmer what a lookup of it alone answers, and records each as a lookup of its own', async () => {
    const bank = await makePartner(service, { credit: 1_000 });
    const [found] = resultsOf(await many(bank, ['rp-many-1', 'rp-many-2'], { sections: ['identity', 'wallet'], source: 'portfolio' }));
    const alone = (await bank.lookup('rp-many-1', { sections: ['identity', 'wallet'] })).body.data as Required<Result>['lookup'];
    const same = { queried_at: '', billing: {} };
    expect({ ...found?.lookup, ...same }).toStrictEqual({ ...alone, ...same });
    expect(found?.lookup?.billing).toStrictEqual({ ...alone.billing, lookup_id: found?.lookup?.billing.lookup_id });
    const { lookups } = (await bank.call('GET', '/lookups')).body.data as {
      lookups: { request_id: string; rupa_id: string; source: string }[];
    };
    const listed = lookups.filter(({ source }) => source === 'portfolio');
    expect(listed.map(({ rupa_id }) => rupa_id).sort()).toStrictEqual(['rp-many-1', 'rp-many-2']);
    expect(new Set(listed.map(({ request_id }) => request_id)).size).toBe(1);
    const { consents } = (await bank.call('GET', '/consents')).body.data as { consents: { rupa_id: string; access_count: number }[] };
    expect(consents.map(({ rupa_id, access_count }) => `${rupa_id} ${access_count}`).sort()).toStrictEqual(['rp-many-1 2', 'rp-many-2 1']);
  });

  it('is 402 for the whole call, with the sum of all that were found, if the balance is too low', async () => {
    const bank = await makePartner(service, { credit: 120 });
    const response = await many(bank, ['rp-many-1', 'rp-nobody', 'rp-many-2', 'rp-many-3']);
    expect(response).toMatchObject({
      status: 402,
      body: {
        code: 'insufficient_balance',
        data: { required_amount: 150, available_amount: 120, shortfall: 30, currency: 'NGN', breakdown: { 'svc_fee.identity': 150 } },
      },
    });
    expect(await typesOf(bank)).toStrictEqual(['WalletCredited']);
  });

  it('with allow_partial charges in the order asked as far as the balance goes', async () => {
    const bank = await makePartner(service, { credit: 120 });
    const response = await many(bank, ['rp-many-3', 'rp-nobody', 'rp-many-1', 'rp-many-2'], { allow_partial: true });
    expect(outcomesOf(response)).toStrictEqual(['found', 'not_found', 'found', 'not_charged']);
    expect(resultsOf(response)[3]).toMatchObject({ code: 'insufficient_balance' });
    expect(response.body.data.summary).toMatchObject({ found: 2, not_charged: 1, amount_charged: 100, wallet_balance: 20 });
    expect(outcomesOf(await many(bank, ['rp-many-2'], { allow_partial: true }))).toStrictEqual(['not_charged']);
    expect(await balanceOf(service, bank)).toBe(20);
  });

  it('names what is wrong with an item, and refuses the whole call for it', async () => {
    const bank = await makePartner(service);
    const errors = async (body: object): Promise<unknown> => (await bank.call('POST', '/lookups', body)).body.data.errors;
    const message = (n: number): string[] => [`The rupa ids.${n} field must have 1 to 64 letters, digits and hyphens.`];
    expect(await errors({ rupa_ids: ['rp-many-1', 'a b', 'rp-many-2', 7] })).toStrictEqual({
      'rupa_ids.1': message(1),
      'rupa_ids.3': message(3),
    });
    expect(await errors({ rupa_ids: [] })).toStrictEqual({ rupa_ids: ['The rupa ids field must have at least 1 item.'] });
    expect(await errors({})).toStrictEqual({ rupa_ids: ['The rupa ids field is required.'] });
    const tooMany = Array.from({ length: 101 }, (_, n) => `rp-${n}`);
    expect(await errors({ rupa_ids: tooMany })).toStrictEqual({ rupa_ids: ['The rupa ids field must not have more than 100 items.'] });
    expect(await errors({ rupa_id: 'rp-1', rupa_ids: ['rp-1'], allow_partial: 'yes' })).toMatchObject({
      rupa_id: [expect.stringContaining('not known')],
      allow_partial: ['The allow partial field must be true or false.'],
    });
    expect(await many(bank, ['rp-many-1'], { sections: ['socioeconomic_profile'] })).toMatchObject({
      status: 403,
      body: { code: 'no_permitted_sections' },
    });
    expect(await typesOf(bank)).toStrictEqual(['WalletCredited']);
  });

  it('takes a hundred farmers, and costs nothing if none is found', async () => {
    const bank = await makePartner(service);
    const response = await many(
      bank,
      Array.from({ length: 100 }, (_, n) => `rp-unknown-${n}`),
    );
    expect(response.body.data.summary).toMatchObject({ requested: 100, not_found: 100, amount_charged: 0, wallet_balance: 100_000 });
    expect(await typesOf(bank)).toStrictEqual(['WalletCredited']);
  });
});

describe('a call with many lookups and an Idempotency-Key', () => {
  const text = async ({ key }: TestPartner, rupa_ids: readonly string[], name: string): Promise<string> => {
    const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json', 'Idempotency-Key': name };
    const body = JSON.stringify({ rupa_ids, ...IDENTITY });
    return await (await whenServed(() => fetch(`${service.url}/v1/rupa/lookups`, { method: 'POST', headers, body }))).text();
  };

  it('is answered byte for byte as before, unbilled', async () => {
    const bank = await makePartner(service, { credit: 1_000 });
    const ids = ['rp-many-1', 'rp-nobody', 'rp-many-2', 'rp-many-1'];
    const first = await text(bank, ids, 'k');
    expect(await text(bank, ids, 'k')).toBe(first);
    const again = await many(bank, ids, {}, 'k');
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toStrictEqual([200, 'true']);
    expect(await balanceOf(service, bank)).toBe(900);
  });

  it('is refused if the body differs, or the call', async () => {
    const bank = await makePartner(service);
    expect((await many(bank, ['rp-many-1', 'rp-many-2'], {}, 'k')).status).toBe(200);
    const reused = { status: 422, body: { code: 'idempotency_key_reused' } };
    expect(await many(bank, ['rp-many-2', 'rp-many-1'], {}, 'k')).toMatchObject(reused);
    expect(await many(bank, ['rp-many-1', 'rp-many-2'], { allow_partial: true }, 'k')).toMatchObject(reused);
    expect(await bank.call('POST', '/lookup', { rupa_id: 'rp-many-1', ...IDENTITY }, { 'Idempotency-Key': 'k' })).toMatchObject(reused);
  });

  it('leaves its key free if it was refused', async () => {
    const bank = await makePartner(service, { credit: 60 });
    expect((await many(bank, ['rp-many-1', 'rp-many-2'], {}, 'k')).status).toBe(402);
    await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 100, reference: randomUUID() });
    expect((await many(bank, ['rp-many-1', 'rp-many-2'], {}, 'k')).body.data.summary).toMatchObject({ found: 2, wallet_balance: 60 });
  });

  it('is charged once if it arrives several times at once', async () => {
    const bank = await makePartner(service, { credit: 1_000 });
    const responses = await Promise.all([1, 2, 3].map(() => many(bank, ['rp-many-1', 'rp-many-2'], {}, 'k')));
    for (const { status } of responses) expect([200, 409]).toContain(status);
    expect((await many(bank, ['rp-many-1', 'rp-many-2'], {}, 'k')).status).toBe(200);
    expect(await balanceOf(service, bank)).toBe(900);
  });

  it('is answered again without a farmer who was erased since, who is not found', async () => {
    const bank = await makePartner(service, { credit: 1_000 });
    await admin(service, 'PUT', '/farmers/rp-many-erased', { identity: { first_name: 'Erased' } });
    const ids = ['rp-many-1', 'rp-many-erased'];
    const [kept] = resultsOf(await many(bank, ids, {}, 'k'));
    expect((await admin(service, 'DELETE', '/farmers/rp-many-erased')).status).toBeLessThan(300);
    const again = await many(bank, ids, {}, 'k');
    expect(resultsOf(again)).toMatchObject([kept, { rupa_id: 'rp-many-erased', outcome: 'not_found', code: 'farmer_not_found' }]);
    expect(again.body.data.summary).toMatchObject({ found: 1, not_found: 1, amount_charged: 100, wallet_balance: 900 });
  });
});

describe('test farmers in a list', () => {
  let bank: TestPartner;
  beforeAll(async () => {
    bank = await makePartner(service, { mode: 'sandbox', credit: 1_000 });
  });

  it('fail alone, and are refunded, for rp-test-failing; are not found for rp-test-erased', async () => {
    const response = await many(bank, ['rp-test-gold', 'rp-test-failing', 'rp-test-erased', 'rp-test-silver'], {}, 'failing');
    expect(outcomesOf(response)).toStrictEqual(['found', 'failed', 'not_found', 'found']);
    expect(resultsOf(response)[1]).toMatchObject({ code: 'internal_error' });
    expect(response.body.data.summary).toMatchObject({ found: 2, failed: 1, not_found: 1, amount_charged: 100, wallet_balance: 900 });
    expect((await typesOf(bank)).filter((type) => type === 'RefundIssued')).toHaveLength(1);
    expect((await many(bank, ['rp-test-gold', 'rp-test-failing', 'rp-test-erased', 'rp-test-silver'], {}, 'failing')).body).toStrictEqual(
      response.body,
    );
  });

  it('refuse the call with 402 for rp-test-no-money, or are not charged with allow_partial', async () => {
    expect(await many(bank, ['rp-test-gold', 'rp-test-no-money'])).toMatchObject({
      status: 402,
      body: { data: { required_amount: 100, available_amount: 0, shortfall: 100, breakdown: { 'svc_fee.identity': 100 } } },
    });
    const partial = await many(bank, ['rp-test-gold', 'rp-test-no-money'], { allow_partial: true });
    expect(outcomesOf(partial)).toStrictEqual(['found', 'not_charged']);
  });

  it.each([
    ['rp-test-limited', 429, 'rate_limited'],
    ['rp-test-busy', 503, 'unavailable'],
  ])('refuse the whole call for %s with %i and Retry-After', async (name, status, code) => {
    const before = await typesOf(bank);
    // The calls of the shared application are repeated until they get another response than 503.
    const { repeatsUnserved: _, ...once } = service;
    const caller = status === 503 ? partnerWith(once, bank.partner_id, bank.key) : bank;
    const response = await many(caller, ['rp-test-gold', name]);
    expect(response).toMatchObject({ status, body: { code } });
    expect(response.headers.get('Retry-After')).toBe('1');
    expect((await typesOf(bank)).filter((type) => type !== 'ChargesSettled')).toStrictEqual(
      before.filter((type) => type !== 'ChargesSettled'),
    );
  });

  it('delay the call for rp-test-slow', async () => {
    const begun = performance.now();
    expect(outcomesOf(await many(bank, ['rp-test-slow', 'rp-test-gold']))).toStrictEqual(['found', 'found']);
    expect(performance.now() - begun).toBeGreaterThan(9_900);
  });
});
