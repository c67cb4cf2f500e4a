import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const ERASED = 'farmer.erased';
const SECTIONS = { sections: ['identity'] };

interface ListedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly rupa_id: string; readonly sequence: number };
}

interface Page {
  readonly events: readonly ListedEvent[];
  readonly next_cursor: string;
}

describe('the notification of an erasure', () => {
  let service: Application;
  let holds: TestPartner;
  let held: TestPartner;
  let never: TestPartner;
  let named: Receiver;
  let all: Receiver;
  let namedId: number;
  let beforeErasure: Page;
  const rupaId = 'rp-erased-1';

  const listed = async (partner: TestPartner, query = '', limit = 200): Promise<Page> =>
    (await partner.call('GET', `/events?limit=${limit}${query}`)).body.data as unknown as Page;
  /** Returns the partner's events once there are this many. */
  const listedOnce = async (partner: TestPartner, count: number, query = ''): Promise<readonly ListedEvent[]> =>
    await until(async () => {
      const { events } = await listed(partner, query);
      return events.length >= count && events;
    });
  const register = async (partner: TestPartner, url: string, events: string[]): Promise<number> =>
    (await partner.call('POST', '/webhooks', { url, events })).body.data.id as number;
  const farmer = (id: string): Promise<ApiResponse> => admin(service, 'PUT', `/farmers/${id}`, { mode: 'sandbox' });
  const erase = async (id: string): Promise<void> => {
    expect((await admin(service, 'DELETE', `/farmers/${id}`)).status).toBe(200);
  };
  const lookUp = async (partner: TestPartner, id: string): Promise<void> => {
    expect((await partner.lookup(id, SECTIONS)).status).toBe(200);
  };
  const report = (id: string): Promise<ApiResponse> => holds.call('POST', '/report', { rupa_id: id, event: 'loan_disbursed' });

  beforeAll(async () => {
    service = await sharedWebhookApplication();
    [holds, held, never] = [
      await makePartner(service, { mode: 'sandbox' }),
      await makePartner(service, { mode: 'sandbox' }),
      await makePartner(service, { mode: 'sandbox' }),
    ];
    [named, all] = [await startReceiver(), await startReceiver()];
    await Promise.all([farmer(rupaId), farmer('rp-erased-2'), farmer('rp-erased-stays')]);
    for (const id of [rupaId, 'rp-erased-stays']) await lookUp(holds, id);
    await lookUp(held, rupaId);
    expect((await held.call('DELETE', `/consents/${rupaId}`)).status).toBe(200);
    for (const id of [rupaId, 'rp-erased-stays']) await report(id);
    expect(await listedOnce(holds, 2)).toHaveLength(2);
    beforeErasure = await listed(holds, '', 1);
    namedId = await register(holds, named.url, ['farmer.loan_added', '*', ERASED]);
    await register(holds, all.url, ['*']);
    await erase(rupaId);
  });
  afterAll(async () => {
    await Promise.all([named.close(), all.close()]);
  });

  it('is delivered to the endpoints that name it, with the farmer and the sequence', async () => {
    await until(() => named.received.length === 1);
    expect(named.received[0]?.json).toStrictEqual({
      id: expect.any(String),
      type: ERASED,
      created_at: expect.any(String),
      mode: 'sandbox',
      data: { rupa_id: rupaId, sequence: expect.any(Number) },
    });
    // The notification of the report comes after all that the erasure could have caused.
    await report('rp-erased-stays');
    await until(() => named.received.length === 2 && all.received.length === 1);
    expect(all.received.map(({ json }) => json.type)).toStrictEqual(['farmer.loan_added']);
  });

  it('is in the lists of events of the partners that hold or held a consent, in the order of sequence, and in no other', async () => {
    const [delivered] = named.received;
    const [ofHolder, ofReleased] = [await listedOnce(holds, 3), await listedOnce(held, 1)];
    expect(ofHolder.map(({ type, data }) => [type, data.rupa_id])).toStrictEqual([
      ['farmer.loan_added', 'rp-erased-stays'],
      [ERASED, rupaId],
      ['farmer.loan_added', 'rp-erased-stays'],
    ]);
    const sequences = ofHolder.map(({ data }) => data.sequence);
    expect(sequences).toStrictEqual([...sequences].sort((one, other) => one - other));
    expect(ofHolder[1]).toStrictEqual(delivered?.json);
    expect(ofReleased).toStrictEqual([delivered?.json]);
    expect((await listed(never)).events).toStrictEqual([]);
  });

  it('is found by its type and by its farmer, and alone of all events about the farmer', async () => {
    for (const query of [`&type=${ERASED}`, `&rupa_id=${rupaId}`, `&type=${ERASED}&rupa_id=${rupaId}`])
      expect((await listed(holds, query)).events.map(({ type }) => type)).toStrictEqual([ERASED]);
    expect((await listed(holds, `&type=farmer.loan_added&rupa_id=${rupaId}`)).events).toStrictEqual([]);
    expect((await listed(holds, `&type=${ERASED}&rupa_id=rp-erased-stays`)).events).toStrictEqual([]);
  });

  it('comes after a cursor whose event is no longer listed', async () => {
    expect(beforeErasure.events.map(({ data }) => data.rupa_id)).toStrictEqual([rupaId]);
    const { events } = await listed(holds, `&cursor=${beforeErasure.next_cursor}`);
    expect(events).toStrictEqual((await listed(holds)).events);
  });

  it('leaves the farmer on no roster, and nothing to release', async () => {
    const { consents } = (await holds.call('GET', '/consents')).body.data as { consents: { rupa_id: string }[] };
    expect(consents.map(({ rupa_id }) => rupa_id)).toStrictEqual(['rp-erased-stays']);
    expect(await holds.call('DELETE', `/consents/${rupaId}`)).toMatchObject({ status: 404, body: { code: 'consent_not_found' } });
  });

  it('is the only delivery about the farmer, with its body, and can be sent again', async () => {
    const page = (await holds.call('GET', `/webhooks/${namedId}/deliveries?rupa_id=${rupaId}`)).body.data;
    const [delivery, ...others] = page.deliveries as { id: number; event: string }[];
    expect([delivery?.event, others]).toStrictEqual([ERASED, []]);
    const path = `/webhooks/${namedId}/deliveries/${delivery?.id}`;
    expect((await holds.call('GET', path)).body.data.body).toBe(JSON.stringify(named.received[0]?.json));
    const before = named.received.length;
    expect((await holds.call('POST', `${path}/resend`)).status).toBe(200);
    await until(() => named.received.length > before);
    expect(named.received.at(-1)?.json).toStrictEqual(named.received[0]?.json);
  });

  it('is recovered for an endpoint of a partner that released the farmer before', async () => {
    const late = await startReceiver();
    const id = await register(held, late.url, [ERASED]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await held.call('POST', `/webhooks/${id}/recover`, { since })).body.data).toStrictEqual({ queued: 1 });
    await until(() => late.received.length === 1);
    expect(late.received[0]?.json).toStrictEqual(named.received[0]?.json);
    await late.close();
  });

  it('wakes a call that waits for events, whether the consent is held or was released', async () => {
    await Promise.all([lookUp(holds, 'rp-erased-2'), lookUp(held, 'rp-erased-2')]);
    await held.call('DELETE', '/consents/rp-erased-2');
    const partners = [holds, held];
    const cursors = await Promise.all(partners.map(async (partner) => (await listed(partner)).next_cursor));
    // The call ends without an event if the erasure takes longer than it may wait.
    const waiting = partners.map((partner, index) => listedOnce(partner, 1, `&wait=30&cursor=${cursors[index]}`));
    await erase('rp-erased-2');
    const received = await Promise.all(waiting);
    expect(received.map((events) => events.map(({ type, data }) => [type, data.rupa_id]))).toStrictEqual([
      [[ERASED, 'rp-erased-2']],
      [[ERASED, 'rp-erased-2']],
    ]);
  });

  it('is made once, however often the farmer is erased', async () => {
    await erase(rupaId);
    await report('rp-erased-stays');
    await until(async () => (await listed(holds)).events.at(-1)?.type === 'farmer.loan_added');
    expect((await listed(holds, `&rupa_id=${rupaId}`)).events).toHaveLength(1);
  });

  it('can be tried in the sandbox, whereupon the farmer stays on the roster', async () => {
    expect((await holds.call('POST', '/sandbox/events', { type: ERASED, rupa_id: 'rp-erased-stays' })).status).toBe(202);
    await until(() => named.received.some(({ json }) => json.type === ERASED && json.data.test === true));
    const [event, ...others] = await listedOnce(holds, 1, `&type=${ERASED}&rupa_id=rp-erased-stays`);
    expect([event?.data, others]).toStrictEqual([{ rupa_id: 'rp-erased-stays', sequence: expect.any(Number), test: true }, []]);
    const { consents } = (await holds.call('GET', '/consents')).body.data as { consents: { rupa_id: string }[] };
    expect(consents.map(({ rupa_id }) => rupa_id)).toStrictEqual(['rp-erased-stays']);
  });
});
