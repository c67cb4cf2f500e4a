import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

interface Listed {
  readonly contributions: { contribution_id: number; partner_reference: string | null; recorded_at: string; updated_at: string }[];
  readonly next_cursor: string | null;
}

describe('the list of contributions', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    for (const id of ['rp-listed-1', 'rp-listed-2', 'rp-listed-erased']) await admin(service, 'PUT', `/farmers/${id}`, {});
    bank = await makePartner(service, { active: false });
  });

  const report = async (partner: TestPartner, body: object): Promise<number> =>
    (await partner.call('POST', '/report', { rupa_id: 'rp-listed-1', event: 'loan_disbursed', ...body })).body.data
      .contribution_id as number;
  const list = async (partner: TestPartner, query = ''): Promise<Listed> =>
    (await partner.call('GET', `/contributions${query}`)).body.data as unknown as Listed;

  it('shows the last report of each contribution with all that was reported', async () => {
    const contribution_id = await report(bank, { amount: 10.5, partner_reference: 'updated', payload: { a: [1, 'ü'] } });
    const changed = { rupa_id: 'rp-listed-2', amount: 11, currency: 'USD', occurred_at: '2026-03-01', payload: { b: null } };
    expect(await report(bank, { ...changed, partner_reference: 'updated' })).toBe(contribution_id);
    const { contributions } = await list(bank, '?partner_reference=updated');
    expect(contributions).toStrictEqual([
      {
        contribution_id,
        event: 'loan_disbursed',
        partner_reference: 'updated',
        ...changed,
        occurred_at: '2026-03-01T00:00:00.000Z',
        recorded_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect((contributions[0]?.updated_at ?? '') > (contributions[0]?.recorded_at ?? '')).toBe(true);
  });

  it('has pages, newest first, which an update does not change', async () => {
    const partner = await makePartner(service);
    const ids: number[] = [];
    for (const reference of ['c1', 'c2', 'c3', 'c4', 'c5']) ids.unshift(await report(partner, { partner_reference: reference }));
    const first = await list(partner, '?limit=2');
    await report(partner, { partner_reference: 'c1', amount: 7 });
    await report(partner, { partner_reference: 'c6' });
    const second = await list(partner, `?limit=3&cursor=${first.next_cursor ?? ''}`);
    expect([...first.contributions, ...second.contributions].map(({ contribution_id }) => contribution_id)).toStrictEqual(ids);
    expect(second.next_cursor).toBeNull();
  });

  it('has nothing of other partners', async () => {
    await report(bank, { partner_reference: 'mine' });
    const other = await makePartner(service);
    expect(await list(other)).toStrictEqual({ contributions: [], next_cursor: null });
    expect((await list(other, '?partner_reference=mine')).contributions).toStrictEqual([]);
  });

  it('keeps what is not personal of a report about a farmer who was erased', async () => {
    const partner = await makePartner(service);
    await report(partner, { rupa_id: 'rp-listed-erased', amount: 5, partner_reference: 'gone', payload: { name: 'x' } });
    await admin(service, 'DELETE', '/farmers/rp-listed-erased');
    expect((await list(partner)).contributions).toMatchObject([
      { rupa_id: 'rp-listed-erased', event: 'loan_disbursed', amount: null, partner_reference: null, payload: null },
    ]);
  });

  it.each(['limit=0', 'limit=-1', 'limit=0x1', 'cursor=x', 'reference=x'])('is refused for ?%s (422)', async (query) => {
    expect(await bank.call('GET', `/contributions?${query}`)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  it.each([
    ['-1', 'be at least 1'],
    ['201', 'not be greater than 200'],
  ])('is told the bound that a limit of %s exceeds', async (limit, bound) => {
    const { body } = await bank.call('GET', `/contributions?limit=${limit}`);
    expect(body.data.errors).toStrictEqual({ limit: [`The limit field must ${bound}.`] });
  });
});
