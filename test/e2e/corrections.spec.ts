import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { sharedApplication } from '../support/application.js';
import { admin, balanceOf, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

let service: Application;
let bank: TestPartner;

beforeAll(async () => {
  service = await sharedApplication();
  await admin(service, 'PUT', '/farmers/rp-corrected', {});
});
beforeEach(async () => {
  bank = await makePartner(service, { credit: 0 });
});

const credit = (body: object) => admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, body);
const reverse = (body: object) => admin(service, 'POST', `/partners/${bank.partner_id}/wallet/reversals`, body);
const compensate = (lookupId: string, body: object = { reason: 'a complaint' }) =>
  admin(service, 'POST', `/lookups/${lookupId}/compensation`, body);
const verified = async (): Promise<unknown> => (await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data;

/** Looks the farmer up and returns the id of the lookup once it is settled. */
async function settledLookup(): Promise<string> {
  expect((await bank.lookup('rp-corrected', { sections: ['identity'] })).status).toBe(200);
  return await until(async () => {
    const entries = await entriesOf(service, bank);
    const debit = entries.findLast(({ type }) => type === 'WalletDebited');
    return entries.at(-1)?.type === 'ChargesSettled' && (debit?.lookup_id ?? undefined);
  });
}

describe('a credit', () => {
  it.each(['goodwill', 'correction'])('of the kind %s needs a reason', async (kind) => {
    expect(await credit({ amount: 10, reference: 'r1', kind })).toMatchObject({
      status: 422,
      body: { data: { errors: { reason: ['The reason field is required.'] } } },
    });
    expect(await credit({ amount: 10, reference: 'r1', kind, reason: 'a long outage' })).toMatchObject({
      status: 200,
      body: { data: { balance: 10, created: true } },
    });
  });

  it('of an unknown kind is refused', async () => {
    expect(await credit({ amount: 10, reference: 'r1', kind: 'gift' })).toMatchObject({ status: 422 });
  });

  it('is not repeated with another kind', async () => {
    expect((await credit({ amount: 10, reference: 'r1', kind: 'payment' })).body.data).toStrictEqual({ balance: 10, created: true });
    expect((await credit({ amount: 10, reference: 'r1' })).body.data).toStrictEqual({ balance: 10, created: false });
    expect((await credit({ amount: 10, reference: 'r1', kind: 'goodwill', reason: 'x' })).status).toBe(409);
  });
});

describe('a payment', () => {
  const payment = { amount: 1_000, reference: 'r1', bank_fee: 50, withheld_tax: 100 };
  const cashAccounts = async (): Promise<Record<string, number>> => {
    const { body } = await admin(service, 'GET', '/ledger/trial-balance');
    const { accounts } = body.data as { accounts: { account: string; balance: number }[] };
    const balances = new Map(accounts.map(({ account, balance }) => [account, Math.round(balance * 100)]));
    return Object.fromEntries(['bank_charges', 'wht_receivable'].map((account) => [account, balances.get(account) ?? 0]));
  };

  it('is credited whole, and posted without its bank fee and its withheld tax to cash, until a reversal takes them back', async () => {
    // Other tests have no such payments, so these accounts hold what this one posts.
    const before = await cashAccounts();
    expect((await credit(payment)).body.data).toStrictEqual({ balance: 1_000, created: true });
    expect((await credit(payment)).body.data).toStrictEqual({ balance: 1_000, created: false });
    expect((await credit({ ...payment, bank_fee: 51 })).status).toBe(409);
    const posted = await cashAccounts();
    expect(posted).toStrictEqual({
      bank_charges: (before.bank_charges ?? 0) + 50_00,
      wht_receivable: (before.wht_receivable ?? 0) + 100_00,
    });
    const reversal = { credit_reference: 'r1', reason: 'paid to the wrong account' };
    await reverse({ ...reversal, amount: 910, reference: 'v1' });
    expect(await cashAccounts()).toStrictEqual({ ...posted, wht_receivable: (posted.wht_receivable ?? 0) - 60_00 });
    await reverse({ ...reversal, reference: 'v2' });
    expect(await cashAccounts()).toStrictEqual(before);
    expect(await verified()).toMatchObject({ ok: true, entries: 3 });
  });

  it.each([
    [{ bank_fee: 500, withheld_tax: 500 }, ['bank_fee', 'withheld_tax']],
    [{ bank_fee: 1_000 }, ['bank_fee']],
    [{ withheld_tax: -1 }, ['withheld_tax']],
    [{ withheld_tax: 0.001 }, ['withheld_tax']],
    [{ bank_fee: 1, kind: 'goodwill', reason: 'an outage' }, ['bank_fee']],
    [{ withheld_tax: 1, kind: 'correction', reason: 'an error' }, ['withheld_tax']],
  ])('is refused with %j', async (change, fields) => {
    const { status, body } = await credit({ amount: 1_000, reference: 'r1', ...change });
    expect([status, Object.keys(body.data.errors as object)]).toStrictEqual([422, fields]);
  });
});

describe('a reversal', () => {
  beforeEach(async () => {
    await credit({ amount: 1_000, reference: 'r1' });
  });

  it('takes back a part of a credit, then the rest, and each reference once', async () => {
    const part = { credit_reference: 'r1', amount: 300.5, reason: 'credited twice', reference: 'v1' };
    expect((await reverse(part)).body.data).toStrictEqual({ balance: 699.5, reversed: 300.5, created: true });
    expect((await reverse(part)).body.data).toStrictEqual({ balance: 699.5, reversed: 300.5, created: false });
    const rest = { credit_reference: 'r1', reason: 'credited twice', reference: 'v2' };
    expect((await reverse(rest)).body.data).toStrictEqual({ balance: 0, reversed: 699.5, created: true });
    expect((await reverse(rest)).body.data).toStrictEqual({ balance: 0, reversed: 699.5, created: false });
    expect(await verified()).toMatchObject({ ok: true, entries: 3 });
    expect(await entriesOf(service, bank)).toMatchObject([
      { type: 'WalletCredited', amount: 1_000 },
      { type: 'CreditReversed', amount: -300.5, reference: 'v1', reason: 'credited twice' },
      { type: 'CreditReversed', amount: -699.5, reference: 'v2' },
    ]);
  });

  it('never makes the balance negative, and says how much could be reversed', async () => {
    await settledLookup();
    const all = { credit_reference: 'r1', reason: 'x', reference: 'v1' };
    expect(await reverse(all)).toMatchObject({ status: 409, body: { success: false, data: { reversible_amount: 950 } } });
    expect((await reverse({ ...all, amount: 950.01 })).body.data).toMatchObject({ reversible_amount: 950 });
    expect((await reverse({ ...all, amount: 950 })).body.data).toStrictEqual({ balance: 0, reversed: 950, created: true });
    await credit({ amount: 1_000, reference: 'r2' });
    expect((await reverse({ ...all, reference: 'v2', amount: 50.01 })).body.data).toStrictEqual({ reversible_amount: 50 });
    expect((await reverse({ ...all, credit_reference: 'never', reference: 'v2' })).body.data).toStrictEqual({ reversible_amount: 0 });
  });

  it('is refused for a reference of a credit, or of another reversal', async () => {
    await credit({ amount: 1_000, reference: 'r2' });
    const reversal = { credit_reference: 'r1', amount: 10, reason: 'x', reference: 'v1' };
    await reverse(reversal);
    for (const other of [{ amount: 11 }, { credit_reference: 'r2' }, { reference: 'r1' }])
      expect((await reverse({ ...reversal, ...other })).status).toBe(409);
    expect((await credit({ amount: 10, reference: 'v1' })).status).toBe(409);
  });

  it('takes back a credit once, however many reversals arrive at the same time', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_unused, index) => reverse({ credit_reference: 'r1', amount: 300, reason: 'x', reference: `v${index}` })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await balanceOf(service, bank)).toBe(100);
    expect(await verified()).toMatchObject({ ok: true });
  });

  it('needs a reason and a reference', async () => {
    const { status, body } = await reverse({ credit_reference: ' ', amount: 0.001 });
    expect([status, Object.keys(body.data.errors as object).sort()]).toStrictEqual([
      422,
      ['amount', 'credit_reference', 'reason', 'reference'],
    ]);
  });
});

describe('the compensation of a lookup', () => {
  beforeEach(async () => {
    await credit({ amount: 1_000, reference: 'r1' });
  });

  it('gives its charge back once, and leaves consents and compliance as they are', async () => {
    const lookupId = await settledLookup();
    const { consents } = (await bank.call('GET', '/consents')).body.data;
    expect((await compensate(lookupId)).body.data).toStrictEqual({ balance: 1_000, amount: 50, created: true });
    expect((await compensate(lookupId, { reason: 'again' })).body.data).toStrictEqual({ balance: 1_000, amount: 50, created: false });
    expect((await entriesOf(service, bank)).at(-1)).toMatchObject({ type: 'LookupCompensated', lookup_id: lookupId, amount: 50 });
    expect(await verified()).toMatchObject({ ok: true });
    expect((await bank.call('GET', '/consents')).body.data.consents).toStrictEqual(consents);
    expect((await bank.call('GET', '/me')).body.data).toMatchObject({ wallet_balance: 1_000, compliance: { lookups: 1 } });
  });

  it('happens once, however many requests arrive at the same time', async () => {
    const lookupId = await settledLookup();
    const responses = await Promise.all(Array.from({ length: 10 }, () => compensate(lookupId)));
    expect(responses.map(({ status }) => status)).toStrictEqual(Array.from({ length: 10 }, () => 200));
    expect(responses.filter(({ body }) => body.data.created)).toHaveLength(1);
    expect(await balanceOf(service, bank)).toBe(1_000);
  });

  it('is refused without a reason, and for a lookup that was never charged', async () => {
    expect((await compensate(await settledLookup(), { reason: '' })).status).toBe(422);
    expect((await compensate(randomUUID())).status).toBe(404);
  });
});
