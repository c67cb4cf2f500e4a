import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { auditOf } from '../support/audit-programs.js';
import { admin, evidenceFile, makePartner, type TestPartner } from '../support/client.js';
import { balancesOf } from '../support/ledger.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Book {
  readonly version: number;
  readonly fees: Readonly<Record<string, number>>;
  readonly vat_percent: number;
  readonly scheduled: { readonly vat_percent: number } | null;
}

/** The rate applies to all partners, so this spec runs an application of its own. */
describe('VAT', () => {
  let service: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await startApplication();
    bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-taxed', { identity: { first_name: 'A' } });
  });
  afterAll(() => service.stop());

  const book = async (): Promise<Book> => (await admin(service, 'GET', '/price-book')).body.data as unknown as Book;
  const publish = async (body: object) => await admin(service, 'PUT', '/price-book', { fees: (await book()).fees, ...body });
  const lookUp = async (sections: readonly string[]): Promise<string> => {
    const { lookup_id, amount_charged } = (await bank.lookup('rp-taxed', { sections })).body.data.billing as {
      lookup_id: string;
      amount_charged: number;
    };
    expect(amount_charged).toBe(sections.length === 1 ? 50 : 220);
    return lookup_id;
  };
  /** Returns the closing balances of the accounts that fees are posted to. */
  const taxed = async (query = ''): Promise<Readonly<Record<string, number>>> => {
    const { accounts, balanced } = await balancesOf(service, query);
    expect(balanced).toBe(true);
    return Object.fromEntries(
      accounts.filter(({ account }) => /^(revenue|vat|pass)/.test(account)).map(({ account, closing }) => [account, closing]),
    );
  };
  const compensated = async (lookupId: string): Promise<void> => {
    await until(async () => (await admin(service, 'POST', `/lookups/${lookupId}/compensation`, { reason: 'wrong data' })).status < 300);
  };

  let untaxed: string;
  let low: string;
  let high: string;

  it('is set alone as a new version, which a publication without a rate keeps', async () => {
    untaxed = await lookUp(['identity']);
    expect(await taxed()).toStrictEqual({ 'revenue.identity': -50 });
    expect((await publish({ vat_percent: 7.5 })).body.data).toMatchObject({ version: 2, vat_percent: 7.5 });
    expect((await publish({ vat_percent: 7.5 })).body.data).toMatchObject({ version: 2, vat_percent: 7.5 });
    expect((await publish({})).body.data).toMatchObject({ version: 2, vat_percent: 7.5 });
    expect((await bank.call('GET', '/prices')).body.data).toMatchObject({ version: 2, vat_percent: 7.5, prices_include_vat: true });
  });

  it('is contained in the fees of sections, which cost the same', async () => {
    low = await lookUp(['identity', 'bvn_nin_data']);
    expect(await taxed()).toStrictEqual({
      'passthrough_payable.bvn': -60,
      'passthrough_payable.nin': -60,
      'revenue.bvn_nin_data': -46.51,
      'revenue.identity': -96.51,
      vat_payable: -6.98,
    });
  });

  it('of a charge stays the same when the rate changes', async () => {
    expect((await publish({ vat_percent: 10 })).body.data).toMatchObject({ version: 3, vat_percent: 10 });
    high = await lookUp(['identity']);
    const before = await taxed();
    expect(before).toMatchObject({ 'revenue.identity': -141.96, vat_payable: -11.53 });
    await compensated(low);
    expect(await taxed()).toMatchObject({
      'passthrough_payable.bvn': 0,
      'revenue.bvn_nin_data': 0,
      'revenue.identity': -95.45,
      vat_payable: -4.55,
    });
    await compensated(untaxed);
    expect(await taxed()).toMatchObject({ 'revenue.identity': -45.45, vat_payable: -4.55 });
    await compensated(high);
    expect(await taxed()).toMatchObject({ 'revenue.identity': 0, vat_payable: 0 });
  });

  it('has the same split in a trial balance of a moment, which is computed from the entries, as in one of days', async () => {
    const at = new Date().toISOString();
    await lookUp(['identity']);
    expect(await taxed(`?at=${at}`)).toMatchObject({ 'revenue.identity': 0, vat_payable: 0 });
    expect(await taxed()).toMatchObject({ 'revenue.identity': -45.45, vat_payable: -4.55 });
  });

  it('of a schedule that leaves it out is the rate in force', async () => {
    const effective_at = new Date(Date.now() + 86_400_000).toISOString();
    expect((await publish({ effective_at })).body.data).toMatchObject({ version: 3, scheduled: { vat_percent: 10 } });
    expect((await publish({ effective_at, vat_percent: 0 })).body.data).toMatchObject({ vat_percent: 10, scheduled: { vat_percent: 0 } });
    expect((await book()).scheduled).toMatchObject({ vat_percent: 0 });
    const { versions } = (await admin(service, 'GET', '/price-book/history')).body.data as unknown as { versions: Book[] };
    expect(versions.map(({ version, vat_percent }) => [version, vat_percent])).toStrictEqual([
      [1, 0],
      [2, 7.5],
      [3, 10],
    ]);
    await admin(service, 'DELETE', '/price-book/schedule');
  });

  it('must be a rate from 0 to 100 with at most two decimals', async () => {
    for (const vat_percent of [-1, 100.01, 7.555, '7.5', [], true])
      expect(await publish({ vat_percent })).toMatchObject({
        status: 422,
        body: { data: { errors: { vat_percent: [expect.any(String)] } } },
      });
    expect((await publish({ vat_percent: null })).body.data).toMatchObject({ version: 3, vat_percent: 10 });
  });

  it('is verified in the wallet, and by the programs in docs/audit', async () => {
    const { partner_id } = bank;
    await until(async () => {
      const { ok, open_charges } = (await admin(service, 'GET', `/partners/${partner_id}/wallet/verification`)).body.data;
      return ok === true && open_charges === 0;
    });
    const { status, out } = auditOf(await evidenceFile(service));
    expect(status).toBe(0);
    expect(out).toContain('  vat_payable 0.00 11.53 16.08 -4.55\n');
  });
});
