import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface ListedEvent {
  readonly id: string;
  readonly type: string;
  readonly mode: string;
  readonly data: { readonly rupa_id: string; readonly contribution_id: number | null; readonly sequence: number };
}

interface Page {
  readonly events: readonly ListedEvent[];
  readonly next_cursor: string;
}

describe('the list of events', () => {
  let service: Application;
  let bank: TestPartner;
  let agtech: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    agtech = await makePartner(service, { account_type: 'agtech' });
  });

  const pageOf = ({ body }: ApiResponse): Page => body.data as unknown as Page;
  const get = async (partner: TestPartner, query = ''): Promise<Page> => pageOf(await partner.call('GET', `/events?limit=200${query}`));
  const register = (...rupaIds: string[]) => Promise.all(rupaIds.map((rupaId) => admin(service, 'PUT', `/farmers/${rupaId}`, {})));
  const consent = async (partner: TestPartner, rupaId: string): Promise<void> => {
    expect((await partner.lookup(rupaId, { sections: ['identity'] })).status).toBe(200);
  };
  const report = async (partner: TestPartner, rupa_id: string, event = 'loan_disbursed'): Promise<unknown> =>
    (await partner.call('POST', '/report', { rupa_id, event })).body.data.contribution_id;
  /** Returns the partner's events once the last of them is about this contribution. */
  const listedTo = async (partner: TestPartner, contribution: unknown, query = ''): Promise<readonly ListedEvent[]> =>
    await until(async () => {
      const { events } = await get(partner, query);
      return events.at(-1)?.data.contribution_id === contribution && events;
    });
  const contributions = (events: readonly ListedEvent[]) => events.map(({ data }) => data.contribution_id);

  it('has the events of the farmers on the roster since their consent, oldest first', async () => {
    await register('rp-events-1', 'rp-events-2');
    await report(bank, 'rp-events-1');
    await consent(bank, 'rp-events-1');
    const loan = await report(bank, 'rp-events-1');
    await consent(bank, 'rp-events-2');
    const harvest = await report(agtech, 'rp-events-2', 'harvest_record');
    await admin(service, 'PUT', '/farmers/rp-events-1', { credit_history: { credit_score: 640 } });
    const events = await until(async () => {
      const { events: found } = await get(bank);
      return found.length === 3 && found;
    });
    expect(events.map(({ type, data }) => [type, data.rupa_id, data.contribution_id])).toStrictEqual([
      ['farmer.loan_added', 'rp-events-1', loan],
      ['farmer.harvest_record', 'rp-events-2', harvest],
      ['farmer.credit_score_changed', 'rp-events-1', null],
    ]);
    const sequences = events.map(({ data }) => data.sequence);
    expect(sequences).toStrictEqual([...sequences].sort((one, other) => one - other));
    expect(events.every(({ mode }) => mode === 'live')).toBe(true);
    expect((await get(agtech)).events).toStrictEqual([]);
  });

  it('goes on with the cursor of every page, also of an empty one', async () => {
    const all = (await get(bank)).events;
    const found: ListedEvent[] = [];
    let page = pageOf(await bank.call('GET', '/events?limit=2'));
    for (; page.events.length > 0; page = pageOf(await bank.call('GET', `/events?limit=2&cursor=${page.next_cursor}`))) {
      expect(page.events.length).toBeLessThanOrEqual(2);
      found.push(...page.events);
    }
    expect(found).toStrictEqual(all);
    const end = page.next_cursor;
    expect(await get(bank, `&cursor=${end}`)).toStrictEqual({ events: [], next_cursor: end });
    const newest = await report(bank, 'rp-events-2');
    expect(contributions(await listedTo(bank, newest, `&cursor=${end}`))).toStrictEqual([newest]);
    const nobody = await makePartner(service, { active: false });
    const empty = await get(nobody);
    expect(await get(nobody, `&cursor=${empty.next_cursor}`)).toStrictEqual(empty);
  });

  it('can be limited to a type and to a farmer', async () => {
    expect(new Set((await get(bank, '&type=farmer.loan_added')).events.map(({ type }) => type))).toStrictEqual(
      new Set(['farmer.loan_added']),
    );
    const { events } = await get(bank, '&rupa_id=RP-Events-2');
    expect(events.length).toBeGreaterThan(1);
    expect(events.filter(({ data }) => data.rupa_id !== 'rp-events-2')).toStrictEqual([]);
    expect((await get(bank, '&rupa_id=rp-unknown')).events).toStrictEqual([]);
  });

  it('shows after a release and a new lookup only the events since that lookup', async () => {
    await register('rp-events-3');
    await consent(bank, 'rp-events-3');
    await listedTo(bank, await report(bank, 'rp-events-3'), '&rupa_id=rp-events-3');
    await bank.call('DELETE', '/consents/rp-events-3');
    expect((await get(bank, '&rupa_id=rp-events-3')).events).toStrictEqual([]);
    await consent(bank, 'rp-events-3');
    const since = await report(bank, 'rp-events-3');
    expect(contributions(await listedTo(bank, since, '&rupa_id=rp-events-3'))).toStrictEqual([since]);
  });

  it('has of an erased farmer the erasure alone', async () => {
    await register('rp-events-4');
    await consent(bank, 'rp-events-4');
    await listedTo(bank, await report(bank, 'rp-events-4'), '&rupa_id=rp-events-4');
    expect((await admin(service, 'DELETE', '/farmers/rp-events-4')).status).toBe(200);
    // The events from before are hidden at once, and the erasure is listed within seconds.
    const ofFarmer = await until(async () => {
      const { events } = await get(bank, '&rupa_id=rp-events-4');
      return events.length > 0 && events;
    });
    expect(ofFarmer).toMatchObject([{ type: 'farmer.erased', data: { rupa_id: 'rp-events-4' } }]);
    expect((await get(bank)).events.filter(({ data }) => data.rupa_id === 'rp-events-4')).toStrictEqual(ofFarmer);
  });

  it.each(['cursor=x', 'wait=31', 'wait=-1', 'wait=x', 'limit=201', 'type=webhook.test', 'type=*', 'rupa_id=a_b'])(
    'refuses %s (422)',
    async (query) => {
      expect(await bank.call('GET', `/events?${query}`)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    },
  );

  it('refuses a cursor of another list, and one that is ahead of the list (422)', async () => {
    const { next_cursor } = (await bank.call('GET', '/lookups?limit=1')).body.data;
    const ahead = Buffer.from(JSON.stringify(['events', '9'.repeat(18)])).toString('base64url');
    for (const cursor of [String(next_cursor), ahead])
      for (const wait of ['0', '30'])
        expect(await bank.call('GET', `/events?cursor=${cursor}&wait=${wait}`)).toMatchObject({
          status: 422,
          body: { data: { errors: { cursor: expect.any(Array) } } },
        });
  });
});
