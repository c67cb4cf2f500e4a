import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Application } from '../support/service.js';

interface Entry {
  readonly revision: number;
  readonly type: string;
  readonly amount: number;
  readonly rupa_id: string | null;
  readonly recorded_at: string;
  readonly actor: string | null;
}

const COMPANY = 'Kano & Sons Findable';

describe('finding things', () => {
  let service: Application;
  let bank: TestPartner;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service, { company_name: COMPANY });
    for (const id of ['rp-find-1', 'rp-find-2']) {
      await admin(service, 'PUT', `/farmers/${id}`, { identity: { full_name: 'Canary Person' } });
      await bank.lookup(id, { sections: ['identity'], ...(id === 'rp-find-2' ? { source: 'insurance' } : {}) });
    }
    await credit({ amount: 250, reference: randomUUID(), kind: 'goodwill', reason: 'sorry' });
    visitor = new ConsoleVisitor(service);
    await visitor.signIn(service.auditorToken);
  });

  const credit = (body: object) => admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, body);
  const entries = async (query: Record<string, string>): Promise<readonly Entry[]> => {
    const path = `/partners/${bank.partner_id}/wallet/entries?${new URLSearchParams(query).toString()}`;
    return (await admin(service, 'GET', path)).body.data.entries as readonly Entry[];
  };
  const page = async (path: string): Promise<string> => await (await visitor.get(path)).text();
  const search = (text: string): Promise<string> => page(`/console/search?q=${encodeURIComponent(text)}`);

  it('lists the entries of a wallet by type, farmer, amount and time, in both orders', async () => {
    expect((await entries({ type: 'WalletDebited' })).map(({ rupa_id }) => rupa_id)).toStrictEqual(['rp-find-1', 'rp-find-2']);
    expect((await entries({ type: 'WalletDebited', order: 'desc' })).map(({ rupa_id }) => rupa_id)).toStrictEqual([
      'rp-find-2',
      'rp-find-1',
    ]);
    expect((await entries({ rupa_id: 'RP-Find-2' })).every(({ rupa_id }) => rupa_id === 'rp-find-2')).toBe(true);
    expect((await entries({ min_amount: '250', max_amount: '250' })).map(({ amount }) => amount)).toStrictEqual([250]);
    const [debit] = await entries({ type: 'WalletDebited', limit: '1' });
    const charged = String(-(debit?.amount ?? 0));
    expect(await entries({ min_amount: charged, max_amount: charged })).toHaveLength(2);
    expect(await entries({ recorded_from: debit?.recorded_at ?? '', type: 'WalletDebited' })).toHaveLength(2);
    expect(await entries({ recorded_to: '2020-01-01' })).toStrictEqual([]);
    expect(await entries({ recorded_from: '2199-01-01' })).toStrictEqual([]);
  });

  it('pages filtered entries', async () => {
    const path = `/partners/${bank.partner_id}/wallet/entries?type=WalletDebited&limit=1`;
    for (const order of ['asc', 'desc']) {
      const first = (await admin(service, 'GET', `${path}&order=${order}`)).body.data as { entries: Entry[]; next: number };
      const second = (await admin(service, 'GET', `${path}&order=${order}&from=${first.next}`)).body.data as {
        entries: Entry[];
        next: null;
      };
      expect([...first.entries, ...second.entries]).toStrictEqual(await entries({ type: 'WalletDebited', order }));
      expect(second.next).toBeNull();
    }
  });

  it.each([{ type: 'Nothing' }, { min_amount: 'much' }, { max_amount: '-1' }, { min_amount: '0.001' }, { recorded_from: 'yesterday' }])(
    'refuses the filter %j',
    async (query) => {
      const path = `/partners/${bank.partner_id}/wallet/entries?${new URLSearchParams(query).toString()}`;
      expect((await admin(service, 'GET', path)).status).toBe(422);
    },
  );

  it('names who made an entry, to administrators alone', async () => {
    const all = await entries({});
    expect(all.filter(({ type }) => type === 'WalletCredited').map(({ actor }) => actor)).toStrictEqual(['admin', 'admin']);
    expect(all.filter(({ type }) => type !== 'WalletCredited').every(({ actor }) => actor === null)).toBe(true);
    const own = (await bank.call('GET', '/wallet/entries')).body.data.entries as object[];
    expect(own.some((entry) => 'actor' in entry)).toBe(false);
  });

  it('lists the lookups of a farmer by partner, purpose and amount', async () => {
    const find = async (query: Record<string, string>): Promise<number> => {
      const path = `/lookups?${new URLSearchParams({ rupa_id: 'rp-find-2', ...query }).toString()}`;
      return ((await admin(service, 'GET', path)).body.data.lookups as unknown[]).length;
    };
    expect(await find({ partner_id: bank.partner_id, source: 'insurance' })).toBe(1);
    expect(await find({ partner_id: randomUUID() })).toBe(0);
    expect(await find({ source: 'loan' })).toBe(0);
    expect(await find({ min_amount: '1' })).toBe(1);
    expect(await find({ max_amount: '0.5' })).toBe(0);
  });

  it('says that there is more than the search shows', async () => {
    for (let number = 0; number < 21; number += 1) await makePartner(service, { company_name: `Plenty ${number}` });
    expect(await search('Plenty')).toContain('first 20 of more than 20');
    expect(await search(COMPANY)).not.toContain('more than');
  });

  it('suggests partners by a part of the name', async () => {
    const found = JSON.parse(await page('/console/partners/suggestions?name=findable')) as { partner_id: string }[];
    expect(found).toStrictEqual([{ partner_id: bank.partner_id, company_name: COMPANY }]);
    expect(await page('/console/verify')).toContain(`<option value="${bank.partner_id}">Kano &amp; Sons Findable</option>`);
  });

  it('takes the name of a partner for its id, and asks for the id if several have it', async () => {
    const one = await visitor.get('/console/lookups/of-partner?of=kano%20%26%20sons&since=2026-01-01T00:00');
    const wallet = `/console/wallets/${bank.partner_id}?type=WalletDebited&since=2026-01-01T00%3A00`;
    expect([one.status, one.headers.get('location')]).toStrictEqual([303, `${wallet}#entries`]);
    const refunds = await visitor.get('/console/lookups/of-partner?of=kano%20%26%20sons&type=RefundIssued');
    expect(refunds.headers.get('location')).toBe(`/console/wallets/${bank.partner_id}?type=RefundIssued#entries`);
    const others = await visitor.get('/console/lookups/of-partner?of=kano%20%26%20sons&type=WalletCredited');
    expect(others.headers.get('location')).toBe(`/console/wallets/${bank.partner_id}?type=WalletDebited#entries`);
    const listed = await page(wallet);
    expect([listed.includes('rp-find'), listed.includes('Charge of a lookup'), listed.includes('sorry')]).toStrictEqual([
      false,
      true,
      false,
    ]);
    const several = await visitor.get('/console/lookups/of-partner?of=Plenty');
    expect([several.status, await several.text()]).toStrictEqual([422, expect.stringContaining('Several partners')]);
    expect((await visitor.get('/console/lookups/of-partner?of=nobody')).status).toBe(422);
  });

  it('writes no searched text into the audit trail', async () => {
    const before = JSON.stringify((await admin(service, 'GET', '/audit-trail?limit=200')).body.data.entries);
    expect(before).not.toMatch(/Plenty|Findable|insurance/i);
  });
});
