import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

describe('a charged lookup', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    await admin(service, 'PUT', '/farmers/rp-charged-1', {});
    bank = await makePartner(service);
  });

  it('is found by the lookup id and the request id of its response', async () => {
    const { headers, body } = await bank.lookup('rp-charged-1', { sections: ['identity'], source: 'audit' });
    const { lookup_id } = body.data.billing as { lookup_id: string };
    const request_id = headers.get('X-Request-Id') ?? '';
    const listed = await bank.call('GET', `/lookups?request_id=${request_id}`);
    expect(listed.body.data).toMatchObject({
      lookups: [
        {
          lookup_id,
          request_id,
          rupa_id: 'rp-charged-1',
          source: 'audit',
          sections: ['identity'],
          amount_charged: 50,
          breakdown: { 'svc_fee.identity': 50 },
        },
      ],
      next_cursor: null,
    });
    const settled = await until(async () => {
      const { data } = (await bank.call('GET', `/lookups/${lookup_id}`)).body;
      return data.outcome === 'settled' ? data : undefined;
    });
    expect(settled).toMatchObject({ lookup_id, request_id });
    expect((await bank.call('GET', `/lookups/${lookup_id.toUpperCase()}`)).body.data).toStrictEqual(settled);
  });

  it('belongs to its partner alone, also a pending one', async () => {
    const { lookup_id } = (await bank.lookup('rp-charged-1')).body.data.billing as { lookup_id: string };
    const pending = await makePartner(service, { active: false });
    expect((await pending.call('GET', '/lookups')).body.data).toStrictEqual({ lookups: [], next_cursor: null });
    expect(await pending.call('GET', `/lookups/${lookup_id}`)).toMatchObject({ status: 404, body: { code: 'lookup_not_found' } });
    for (const id of ['no-such-id', 'not%20an%20id', '%00'])
      expect(await bank.call('GET', `/lookups/${id}`)).toMatchObject({ status: 404, body: { code: 'lookup_not_found' } });
  });

  it('is on one page of the list', async () => {
    const agtech = await makePartner(service, { account_type: 'agtech' });
    const made: unknown[] = [];
    for (let n = 0; n < 3; n += 1) made.unshift((await agtech.lookup('rp-charged-1')).body.data.billing);
    const seen: object[] = [];
    for (let query: string | undefined = '?limit=1'; query !== undefined;) {
      const { lookups, next_cursor } = (await agtech.call('GET', `/lookups${query}`)).body.data as {
        lookups: object[];
        next_cursor: string | null;
      };
      seen.push(...lookups);
      query = next_cursor === null ? undefined : `?limit=1&cursor=${next_cursor}`;
    }
    expect(seen).toMatchObject(made.map((billing) => ({ lookup_id: (billing as { lookup_id: string }).lookup_id })));
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', `request_id=${'x'.repeat(65)}`])('is not listed for ?%s (422)', async (query) => {
    expect(await bank.call('GET', `/lookups?${query}`)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });
});
