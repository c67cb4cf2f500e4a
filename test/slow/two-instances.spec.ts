import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Balancer, startBalancer } from '../support/balancer.js';
import { admin, type ApiResponse, balanceOf, call, entriesOf, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const SECTIONS = { sections: ['identity'] };
const PRICE_NGN = 50;
/** As many as a partner may have running. */
const LISTS_AT_ONCE = 4;
/** How long a report waits for its read model at most. */
const REPORT_WAITS_MS = 2_000;

describe('two APIs, a projector and a webhook sender, each a process, behind a load balancer', () => {
  let stores: SharedStores;
  let one: TestService;
  let other: TestService;
  let balancer: Balancer;
  let balanced: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    stores = await startSharedStores();
    const hooks = { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_ALLOW_ANY_PORT: 'true' };
    await stores.start('projector');
    await stores.start('webhooks', hooks);
    [one, other] = await Promise.all([
      stores.start('api,console', hooks, { repeats: true }),
      stores.start('api,console', hooks, { repeats: true }),
    ]);
    balancer = await startBalancer([one, other]);
    balanced = { ...one, url: balancer.url };
    receiver = await startReceiver();
    await admin(one, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
  });
  afterAll(async () => {
    await receiver.close();
    await balancer.close();
    await stores.close();
  });

  /** A call that was repeated, because a busy machine did not serve it in time, may have been recorded at the first attempt. */
  const isPosted = (status: number): boolean => status === 201 || status === 200;
  const at = (service: TestService, { partner_id, key }: TestPartner): TestPartner => partnerWith(service, partner_id, key);

  it('serve requests through the balancer from both APIs', async () => {
    await until(() => balancer.ready() === 2);
    const bank = await makePartner(balanced);
    expect((await bank.lookup('rp-1', SECTIONS)).status).toBe(200);
    expect(await balanceOf(balanced, bank)).toBe(100_000 - PRICE_NGN);
  });

  it('carry out a form of the console once, and show the key that it made from both APIs', async () => {
    const [left, right] = [new ConsoleVisitor(one), new ConsoleVisitor(other)];
    await left.signIn(one.adminToken);
    right.takeCookiesOf(left);
    const { partner_id } = await makePartner(balanced);
    const page = `/console/partners/${partner_id}`;
    const fields = await left.form(page, `${page}/api-keys`);
    const submissions = [left, right, left, right].map((visitor) => visitor.submit(`${page}/api-keys`, fields));
    const [shown = '', ...others] = new Set((await Promise.all(submissions)).map(({ headers }) => headers.get('location')));
    expect(others).toStrictEqual([]);
    const keyOf = async (visitor: ConsoleVisitor) => /<code>(rupa_key_[^<]+)/.exec(await (await visitor.get(shown ?? '')).text())?.[1];
    const key = (await keyOf(left)) ?? '';
    expect([await keyOf(right), (await partnerWith(one, partner_id, key).call('GET', '/me')).status]).toStrictEqual([key, 200]);
    // The partner got its first key when it was made.
    expect((await admin(other, 'GET', `/partners/${partner_id}/api-keys`)).body.data.api_keys).toHaveLength(2);
  });

  it('never give two partners one customer number, when both register some at once', async () => {
    const { partners: earlier } = (await admin(one, 'GET', '/partners')).body.data as { partners: { customer_number: number }[] };
    const register = async (service: TestService) =>
      (await admin(service, 'POST', '/partners', { company_name: 'A', account_type: 'bank' })).body.data as {
        partner_id: string;
        customer_number: number;
      };
    const made = await Promise.all(Array.from({ length: 20 }, async (_, n) => await register(n % 2 === 0 ? one : other)));
    // A call that a busy machine has not served in time is repeated, and may have made a partner before.
    const { partners: all } = (await admin(one, 'GET', '/partners?limit=100')).body.data as { partners: { customer_number: number }[] };
    expect(all.length).toBeGreaterThanOrEqual(earlier.length + made.length);
    const numbers = all.map(({ customer_number }) => customer_number).sort((a, b) => a - b);
    expect(numbers).toStrictEqual(all.map((_, n) => 1001 + n));
    expect(new Set(made.map(({ customer_number }) => customer_number)).size).toBe(made.length);
    for (const { partner_id, customer_number } of made)
      expect((await admin(other, 'GET', `/partners/${partner_id}`)).body.data).toMatchObject({ customer_number });
  });

  it('never settle more than is owed to a provider, when both settle at once', async () => {
    const bank = await makePartner(one);
    expect((await bank.lookup('rp-1', { sections: ['bvn_nin_data'] })).status).toBe(200);
    const settle = async (service: TestService, n: number): Promise<number> => {
      const entry = { kind: 'passthrough_settlement', account: 'bvn', amount: 7, reference: `both-${n}`, reason: 'paid' };
      return (await admin(service, 'POST', '/ledger/entries', entry)).status;
    };
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => settle(n % 2 === 0 ? one : other, n)));
    expect([statuses.filter(isPosted).length, statuses.filter((status) => status === 409).length]).toStrictEqual([8, 12]);
  });

  it('close a month once, with the entries that both post meanwhile, or refuse these', async () => {
    const post = async (service: TestService, n: number): Promise<number> => {
      const entry = { kind: 'bank_charge', amount: 1, date: '2026-01-31', reference: `during-${n}`, reason: 'fees' };
      return (await admin(service, 'POST', '/ledger/entries', entry)).status;
    };
    const close = async (service: TestService): Promise<ApiResponse> => await admin(service, 'POST', '/ledger/periods/2026-01/close', {});
    expect(await post(one, 0)).toBe(201);
    const [closes, statuses] = await Promise.all([
      Promise.all([close(one), close(other)]),
      Promise.all(Array.from({ length: 20 }, (_, n) => post(n % 2 === 0 ? one : other, n + 1))),
    ]);
    // A close that meets entries at each attempt is refused, and sent again.
    const results = [...closes, await close(one), await close(other)].map(({ status }) => status);
    expect(results.filter((status) => status === 201).length).toBeLessThanOrEqual(1);
    expect(results.at(-1)).toBe(200);
    for (const status of statuses) expect(status === 409 || isPosted(status)).toBe(true);
    const { entries, accounts } = (await close(one)).body.data as { entries: number; accounts: { account: string; debit: number }[] };
    const posted = 1 + statuses.filter(isPosted).length;
    expect([entries, accounts.find(({ account }) => account === 'bank_charges')?.debit]).toStrictEqual([posted, posted]);
  });

  it('show through one API the lookups of the other, on roster and account', async () => {
    const bank = await makePartner(one);
    const [viaOne, viaOther] = [at(one, bank), at(other, bank)];
    for (let turn = 1; turn <= 10; turn += 1) {
      const [writer, reader] = turn % 2 === 0 ? [viaOne, viaOther] : [viaOther, viaOne];
      expect((await writer.lookup('rp-1', SECTIONS)).status).toBe(200);
      expect((await reader.call('GET', '/consents')).body.data).toMatchObject({
        count: 1,
        consents: [{ rupa_id: 'rp-1', access_count: turn }],
      });
      expect((await reader.call('GET', '/me')).body.data).toMatchObject({
        wallet_balance: 100_000 - PRICE_NGN * turn,
        compliance: { lookups: turn },
      });
    }
    expect((await viaOther.call('DELETE', '/consents/rp-1')).status).toBe(200);
    expect((await viaOne.call('GET', '/consents')).body.data).toMatchObject({ count: 0 });
  });

  it('show in a lookup through one API what was reported through the other', async () => {
    const bank = await makePartner(one);
    const [viaOne, viaOther] = [at(one, bank), at(other, bank)];
    let reported = 0;
    for (let turn = 1; turn <= 5; turn += 1) {
      const [writer, reader] = turn % 2 === 0 ? [viaOne, viaOther] : [viaOther, viaOne];
      // A report that has waited as long for its read model is acknowledged before every API shows it.
      const contribution_id = await until(async () => {
        const began = performance.now();
        const id = await reportLoan(writer, `loan-${(reported += 1)}`);
        return performance.now() - began < REPORT_WAITS_MS && id;
      });
      const { data } = (await reader.lookup('rp-1', { sections: ['outstanding_loans'] })).body;
      expect(data).toMatchObject({
        outstanding_loans: { partner_loans: expect.arrayContaining([expect.objectContaining({ contribution_id })]) },
      });
      expect((await reader.call('GET', '/contributions')).body.data.contributions).toHaveLength(reported);
    }
  });

  it('share webhook endpoints, and deliver what is reported through either API', async () => {
    await admin(one, 'PUT', '/farmers/rp-sandbox', { mode: 'sandbox', identity: { first_name: 'Nobody' } });
    const bank = await makePartner(one, { mode: 'sandbox' });
    const [viaOne, viaOther] = [at(one, bank), at(other, bank)];
    await viaOne.lookup('rp-sandbox', SECTIONS);
    const { status, body } = await viaOne.call('POST', '/webhooks', { url: receiver.url });
    expect(status).toBe(201);
    expect(JSON.stringify((await viaOther.call('GET', '/webhooks')).body.data)).toContain(receiver.url);
    const contribution_id = await reportLoan(viaOther, 'delivered', 'rp-sandbox');
    await until(() => receiver.received.some(({ json }) => json.data.contribution_id === contribution_id));
    const { id } = body.data as { id: number };
    expect((await viaOther.call('DELETE', `/webhooks/${id}`)).status).toBe(200);
    expect(JSON.stringify((await viaOne.call('GET', '/webhooks')).body.data)).not.toContain(receiver.url);
  });

  it('stop accepting a key everywhere once it is deactivated through one API', async () => {
    const bank = await makePartner(one);
    const [viaOne, viaOther] = [at(one, bank), at(other, bank)];
    for (const partner of [viaOne, viaOther]) expect((await partner.call('GET', '/me')).status).toBe(200);
    const issued = (await admin(one, 'POST', `/partners/${bank.partner_id}/api-keys`, {})).body.data as { key_id: string; api_key: string };
    const second = partnerWith(other, bank.partner_id, issued.api_key);
    await until(async () => (await second.call('GET', '/me')).status === 200);
    await admin(one, 'DELETE', `/api-keys/${issued.key_id}`);
    for (const service of [one, other])
      await until(async () => (await partnerWith(service, bank.partner_id, issued.api_key).call('GET', '/me')).status === 401);
    expect((await viaOther.call('GET', '/me')).status).toBe(200);
  });

  it('charge a wallet that both write once per response and never below zero, and its chain verifies', async () => {
    const CALLS = 120;
    const AFFORDED = 80;
    const bank = await makePartner(one, { credit: AFFORDED * PRICE_NGN });
    const statuses = await Promise.all(
      Array.from({ length: CALLS }, async (_, index) => (await at(index % 2 === 0 ? one : other, bank).lookup('rp-1', SECTIONS)).status),
    );
    const served = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status !== 200 && status !== 402 && status !== 503)).toStrictEqual([]);
    for (let left = AFFORDED - served; left > 0; left -= 1) expect((await at(other, bank).lookup('rp-1', SECTIONS)).status).toBe(200);
    expect((await at(one, bank).lookup('rp-1', SECTIONS)).status).toBe(402);
    expect(await balanceOf(one, bank)).toBe(0);
    const entries = await entriesOf(other, bank);
    const refunded = entries.filter(({ type }) => type === 'RefundIssued').map(({ lookup_id }) => lookup_id);
    const charged = entries.filter(({ type, lookup_id }) => type === 'WalletDebited' && !refunded.includes(lookup_id));
    expect(charged).toHaveLength(AFFORDED);
    expect(Math.min(...entries.map(({ balance_after }) => balance_after))).toBeGreaterThanOrEqual(0);
    for (const service of [one, other])
      expect((await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data).toMatchObject({
        ok: true,
        fault: null,
      });
  });

  it('charge a list once that arrives at both with one key', async () => {
    await admin(other, 'PUT', '/farmers/rp-2', { identity: { first_name: 'Bola' } });
    const bank = await makePartner(one);
    const list = { rupa_ids: ['rp-1', 'rp-2', 'rp-1'], ...SECTIONS };
    const send = (n: number): Promise<ApiResponse> =>
      at(n % 2 === 0 ? one : other, bank).call('POST', '/lookups', list, { 'Idempotency-Key': 'march' });
    const atOnce = await Promise.all(Array.from({ length: LISTS_AT_ONCE }, (_, n) => send(n)));
    expect(atOnce.filter(({ status }) => status !== 200 && status !== 409).map(({ status }) => status)).toStrictEqual([]);
    const answers = [...atOnce.filter(({ status }) => status === 200), await send(0), await send(1)].map(({ body }) => body);
    for (const answer of answers) expect(answer).toStrictEqual(answers.at(-1));
    expect(answers.at(-1)?.data).toMatchObject({ summary: { requested: 3, found: 3, amount_charged: 2 * PRICE_NGN } });
    // An attempt that a busy machine did not serve in time is refunded, and the call repeated.
    await until(async () => (await balanceOf(one, bank)) === 100_000 - 2 * PRICE_NGN);
  });

  async function reportLoan(partner: TestPartner, partner_reference: string, rupa_id = 'rp-1'): Promise<number> {
    const { status, body } = await partner.call('POST', '/report', { rupa_id, event: 'loan_disbursed', amount: 1_000, partner_reference });
    expect(status).toBe(200);
    return body.data.contribution_id as number;
  }

  it('report the health of every API through the balancer', async () => {
    expect((await call(balanced, 'GET', '/health')).status).toBe(200);
  });
});
