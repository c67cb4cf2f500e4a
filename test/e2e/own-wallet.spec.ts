import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface Entry {
  readonly revision: number;
  readonly type: string;
  readonly amount: number;
  readonly prev_hash: string;
  readonly hash: string;
}
interface Page {
  readonly entries: readonly Entry[];
  readonly next_cursor: string | null;
}

const ZEROS = '0'.repeat(64);

describe('a partner’s own wallet', () => {
  let service: Application;
  let bank: TestPartner;
  let other: TestPartner;
  let pending: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    await admin(service, 'PUT', '/farmers/rp-own-wallet', {});
    bank = await makePartner(service);
    other = await makePartner(service, { credit: 77 });
    pending = await makePartner(service, { active: false, credit: 0 });
    for (let credit = 1; credit <= 4; credit += 1) await addMoney(credit);
    expect((await bank.lookup('rp-own-wallet')).status).toBe(200);
    // The settlement must not come between two reads that are compared.
    await until(async () => (await entriesOf(service, bank)).at(-1)?.type === 'ChargesSettled');
  });

  const addMoney = async (amount: number): Promise<void> => {
    await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount, reference: `more-${amount}` });
  };
  const page = async (query: string, partner = bank): Promise<Page> =>
    (await partner.call('GET', `/wallet/entries${query}`)).body.data as unknown as Page;
  const exported = async (url: string, headers: Record<string, string>): Promise<Response> =>
    await whenServed(() => fetch(`${service.url}${url}`, { headers }));

  it('lists its entries with their links of the chain, newest first', async () => {
    const listed = (await entriesOf(service, bank)) as unknown as Record<string, unknown>[];
    const expected = listed.toReversed().map(({ actor: _, ...entry }) => entry);
    const { entries, next_cursor } = await page('');
    expect(entries.slice(-expected.length)).toMatchObject(expected);
    expect(entries.filter((entry) => 'actor' in entry)).toStrictEqual([]);
    expect(next_cursor).toBeNull();
    expect(entries.map(({ prev_hash }) => prev_hash)).toStrictEqual([...entries.slice(1).map(({ hash }) => hash), ZEROS]);
  });

  it('is paged so that entries added meanwhile neither repeat nor hide others', async () => {
    const { entries: before } = await page('?limit=200');
    const seen: Entry[] = [];
    for (let cursor: string | null = '', added = 10; cursor !== null; added += 1) {
      const next: Page = await page(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...next.entries);
      cursor = next.next_cursor;
      if (added < 12) await addMoney(added);
    }
    expect(seen.filter(({ revision }) => revision <= (before[0]?.revision ?? -1))).toMatchObject(before);
    expect(new Set(seen.map(({ revision }) => revision)).size).toBe(seen.length);
  });

  it.each(['?limit=0', '?limit=201', '?limit=many', '?cursor=nonsense', '?cursor=WyJkZWxpdmVyaWVzIiwxXQ'])('refuses %s', async (query) => {
    expect((await bank.call('GET', `/wallet/entries${query}`)).status).toBe(422);
  });

  it('shows nothing for a cursor before its first entry, and all for one after its last', async () => {
    const cursor = (revision: number): string => Buffer.from(JSON.stringify(['wallet-entries', revision])).toString('base64url');
    for (const revision of [0, -5, Number.MIN_SAFE_INTEGER])
      expect(await page(`?cursor=${cursor(revision)}`)).toStrictEqual({ entries: [], next_cursor: null });
    const { entries } = await page('?limit=200');
    expect((await page(`?limit=200&cursor=${cursor(Number.MAX_SAFE_INTEGER)}`)).entries).toStrictEqual(entries);
  });

  it('shows its head', async () => {
    const [last] = (await page('?limit=1')).entries;
    const { balance } = (await admin(service, 'GET', `/partners/${bank.partner_id}/wallet`)).body.data;
    expect((await bank.call('GET', '/wallet/head')).body.data).toStrictEqual({
      revision: last?.revision,
      hash: last?.hash,
      balance,
      recorded_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('is shown to a pending partner, and is empty while it is untouched', async () => {
    expect((await pending.call('GET', '/wallet/head')).body.data).toStrictEqual({
      revision: -1,
      hash: ZEROS,
      balance: 0,
      recorded_at: null,
    });
    expect(await page('', pending)).toStrictEqual({ entries: [], next_cursor: null });
    const response = await exported('/v1/rupa/wallet/export', { 'X-API-KEY': pending.key });
    expect([response.status, await response.text()]).toStrictEqual([200, '']);
  });

  it('is exported with the bytes that auditors get, and never shows another partner’s entries', async () => {
    const own = await exported('/v1/rupa/wallet/export', { 'X-API-KEY': other.key });
    const audited = await exported(`/admin/v1/partners/${other.partner_id}/wallet/export`, {
      Authorization: `Bearer ${service.auditorToken}`,
    });
    const text = await own.text();
    expect([own.status, own.headers.get('content-type')]).toStrictEqual([200, 'application/x-ndjson; charset=utf-8']);
    expect([audited.status, await audited.text()]).toStrictEqual([200, text]);
    const { entries } = await page('', other);
    expect(entries.map(({ amount }) => amount)).toStrictEqual([77]);
    expect(JSON.parse(text)).toStrictEqual({
      stream: `wallet-${other.partner_id}`,
      revision: 0,
      type: 'WalletCredited',
      recorded_at: expect.stringMatching(/^\d{4}-.*Z$/),
      data: expect.objectContaining({ amount_kobo: 77_00 }),
      prev_hash: ZEROS,
      hash: entries[0]?.hash,
    });
  });

  it('needs a key or a token', async () => {
    expect((await exported('/v1/rupa/wallet/export', {})).status).toBe(401);
    expect((await exported(`/admin/v1/partners/${bank.partner_id}/wallet/export`, { 'X-API-KEY': bank.key })).status).toBe(401);
    const unknown = await exported('/admin/v1/partners/nobody/wallet/export', { Authorization: `Bearer ${service.adminToken}` });
    expect(unknown.status).toBe(404);
  });
});
