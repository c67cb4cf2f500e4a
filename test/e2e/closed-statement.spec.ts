import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { pastOf } from '../support/february.js';
import { givenPast } from '../support/wallet-past.js';

describe('a statement', () => {
  it('of a closed month never changes, and a late correction appears in the month in which it is recorded', async () => {
    const service = await sharedApplication();
    const partner = await makePartner(service, { credit: 0 });
    const show = ({ partner_id: id }: TestPartner, month: string) => admin(service, 'GET', `/partners/${id}/wallet/statements/${month}`);
    const { partner_id } = partner;
    const lookupId = randomUUID();
    await givenPast(service, pastOf(partner_id, [lookupId, randomUUID()]));
    const closed = async () => {
      const found = await Promise.all(['2026-01', '2026-02', '2026-03'].map((month) => show(partner, month)));
      return found.map(({ body: { data } }) => ({ ...data, made_at: null, as_of_index: null }));
    };
    const before = await closed();
    expect(before).toMatchObject([{ complete: true }, { complete: true }, { complete: true }]);
    const wallet = `/partners/${partner_id}/wallet`;
    const typo = { credit_reference: 'opening', amount: 100, reason: 'a typo', reference: 'late-1' };
    expect((await admin(service, 'POST', `${wallet}/reversals`, typo)).body.success).toBe(true);
    const goodwill = { amount: 30, kind: 'goodwill', reason: 'sorry', reference: 'late-2' };
    expect((await admin(service, 'POST', `${wallet}/credits`, goodwill)).body.success).toBe(true);
    expect((await admin(service, 'POST', `/lookups/${lookupId}/compensation`, { reason: 'a complaint' })).body.success).toBe(true);
    expect(await closed()).toStrictEqual(before);
    const month = new Date().toISOString().slice(0, 7);
    expect((await show(partner, month)).body.data).toMatchObject({
      complete: false,
      opening_head: { revision: 7 },
      opening_balance: 805,
      credits: {
        total: -70,
        items: [
          { amount: -100, kind: 'payment', credit_reference: 'opening', reference: 'late-1', reason: 'a typo' },
          { amount: 30, kind: 'goodwill', credit_reference: null },
        ],
      },
      refunds: { total: 220, items: [{ amount: 220, lookup_id: lookupId, reason: 'a complaint' }] },
      closing_balance: 955,
      closing_head: { revision: 10 },
    });
    const csv = await fetch(`${service.url}/admin/v1${wallet}/statements/${month}?format=csv`, {
      headers: { Authorization: `Bearer ${service.adminToken}` },
    });
    expect(await csv.text()).toMatch(/\r\ncredit,[^,]+,payment,1,-100\.00,late-1,a typo,,,8,,opening\r\n/);
  });
});
