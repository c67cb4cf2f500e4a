import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

interface Roster {
  readonly consents: { rupa_id: string; source: string; granted_at: string; last_accessed_at: string; access_count: number }[];
  readonly count: number;
  readonly next_cursor: string | null;
}

async function roster(partner: TestPartner): Promise<Roster> {
  return (await partner.call('GET', '/consents')).body.data as unknown as Roster;
}

describe('the consent roster (4.4, 4.5)', () => {
  let service: Application;

  beforeAll(async () => {
    service = await sharedApplication();
    for (const id of ['rp-roster-1', 'rp-roster-2', 'rp-roster-3']) await admin(service, 'PUT', `/farmers/${id}`, {});
  });

  it('is empty at first', async () => {
    expect(await roster(await makePartner(service))).toStrictEqual({ consents: [], count: 0, next_cursor: null });
  });

  it('lists each farmer that was looked up, the most recently accessed first', async () => {
    const bank = await makePartner(service);
    await bank.lookup('rp-roster-1', { source: 'mortgage' });
    await bank.lookup('rp-roster-2', { source: ' ' });
    await bank.lookup('rp-roster-1', { source: 'renewal' });
    const { consents, count } = await roster(bank);
    expect(count).toBe(2);
    expect(consents).toMatchObject([
      { rupa_id: 'rp-roster-1', source: 'mortgage', access_count: 2 },
      { rupa_id: 'rp-roster-2', source: 'loan', access_count: 1 },
    ]);
    const [first] = consents;
    expect(new Date(first?.last_accessed_at ?? '').getTime()).toBeGreaterThanOrEqual(new Date(first?.granted_at ?? '').getTime());
    expect(Object.keys(first ?? {})).toStrictEqual(['rupa_id', 'source', 'granted_at', 'last_accessed_at', 'access_count']);
  });

  it('shows each partner only its own consents', async () => {
    const [one, other] = [await makePartner(service), await makePartner(service)];
    await one.lookup('rp-roster-1');
    expect((await roster(other)).count).toBe(0);
    expect((await other.call('DELETE', '/consents/rp-roster-1')).status).toBe(404);
    expect((await roster(one)).count).toBe(1);
  });

  it('drops a released consent and starts a new one with the next lookup', async () => {
    const bank = await makePartner(service);
    await bank.lookup('rp-roster-3');
    await bank.lookup('rp-roster-3');
    expect(await bank.call('DELETE', '/consents/RP-ROSTER-3')).toMatchObject({
      status: 200,
      body: { success: true, data: { revoked: true, rupa_id: 'rp-roster-3' } },
    });
    const notFound = {
      status: 404,
      body: { success: false, message: 'No consent record found for that Rupa ID.', code: 'consent_not_found' },
    };
    expect(await bank.call('DELETE', '/consents/rp-roster-3')).toMatchObject(notFound);
    expect((await roster(bank)).count).toBe(0);
    await bank.lookup('rp-roster-3', { source: 'again' });
    expect((await roster(bank)).consents).toMatchObject([{ rupa_id: 'rp-roster-3', source: 'again', access_count: 1 }]);
    expect((await bank.call('DELETE', '/consents/rp-roster-3')).status).toBe(200);
  });

  it('lets exactly one of many concurrent releases succeed', async () => {
    const bank = await makePartner(service);
    await bank.lookup('rp-roster-1');
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => bank.call('DELETE', '/consents/rp-roster-1')))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toStrictEqual([200, ...Array.from({ length: 7 }, () => 404)]);
  });

  it('shows the 200 most recently accessed consents', async () => {
    const ids = Array.from({ length: 205 }, (_, index) => `rp-roster-many-${index}`);
    await Promise.all(ids.map((id) => admin(service, 'PUT', `/farmers/${id}`, {})));
    const bank = await makePartner(service);
    for (const id of ids) await bank.lookup(id, { sections: ['identity'] });
    const { consents, count, next_cursor } = await roster(bank);
    expect([count, consents.length]).toStrictEqual([200, 200]);
    expect(consents.map(({ rupa_id }) => rupa_id).sort()).toStrictEqual(ids.slice(5).sort());
    const rest = (await bank.call('GET', `/consents?cursor=${next_cursor ?? ''}`)).body.data as unknown as Roster;
    expect(rest.consents.map(({ rupa_id }) => rupa_id)).toStrictEqual(ids.slice(0, 5).reverse());
    expect([rest.count, rest.next_cursor]).toStrictEqual([5, null]);
    const [one] = ((await bank.call('GET', '/consents?limit=1')).body.data as unknown as Roster).consents;
    expect(one).toStrictEqual(consents[0]);
  });

  it.each(['limit=0', 'limit=201', 'limits=1', 'cursor=WyJsb29rdXBzIiwxXQ'])('refuses ?%s', async (query) => {
    const bank = await makePartner(service);
    expect(await bank.call('GET', `/consents?${query}`)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  it('refuses a malformed id', async () => {
    const bank = await makePartner(service);
    expect(await bank.call('DELETE', '/consents/rp_1')).toMatchObject({
      status: 422,
      body: { message: 'Validation Error', data: { errors: { rupa_id: [expect.any(String)] } } },
    });
  });
});
