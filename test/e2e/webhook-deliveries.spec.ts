import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { type Pool } from 'pg';
import { Webhook } from 'standardwebhooks';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type ReceiverResponse, type ReceivedNotification, type Receiver, startReceiver } from '../support/receiver.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Shown {
  readonly id: number;
  readonly event_id: string;
  readonly event: string;
  readonly status: string;
  readonly attempt: number;
  readonly response_status: number | null;
  readonly error: string | null;
  readonly attempted_at: string | null;
  readonly next_attempt_at: string | null;
}

describe('a webhook delivery', () => {
  let service: TestService;
  let pool: Pool;
  let bank: TestPartner;
  let insurer: TestPartner;
  let farmers = 0;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    service = await startApplication({
      WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,0.05,0.05',
      WEBHOOK_TIMEOUT_MS: '60000',
    });
    pool = testPool(service.stores.DATABASE_URL ?? '', 1);
    bank = await makePartner(service, { mode: 'sandbox' });
    insurer = await makePartner(service, { mode: 'sandbox', account_type: 'insurer' });
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  const receive = async (response?: ReceiverResponse): Promise<Receiver> => {
    const receiver = await startReceiver(response);
    receivers.push(receiver);
    return receiver;
  };
  const register = async (partner: TestPartner, url: string, more: object = {}): Promise<{ id: number; signing_secret: string }> =>
    (await partner.call('POST', '/webhooks', { url, ...more })).body.data as { id: number; signing_secret: string };
  /** Registers a farmer and lets each partner look the farmer up, which grants the partner a consent. */
  const consented = async (...partners: TestPartner[]): Promise<string> => {
    farmers += 1;
    const rupa_id = `rp-hook-${farmers}`;
    await admin(service, 'PUT', `/farmers/${rupa_id}`, { mode: 'sandbox' });
    for (const partner of partners) expect((await partner.lookup(rupa_id, { sections: ['identity'] })).status).toBe(200);
    return rupa_id;
  };
  const report = async (partner: TestPartner, body: object): Promise<number> => {
    const { status, body: response } = await partner.call('POST', '/report', body);
    expect(status).toBe(200);
    return response.data.contribution_id as number;
  };
  const deliveries = async (partner: TestPartner, id: number, query = ''): Promise<Shown[]> =>
    (await partner.call('GET', `/webhooks/${id}/deliveries${query}`)).body.data.deliveries as Shown[];
  const ended = async (partner: TestPartner, id: number, status: string): Promise<Shown> =>
    await until(async () => (await deliveries(partner, id)).find((delivery) => delivery.status === status));
  const received = async (receiver: Receiver, count = 1): Promise<[ReceivedNotification, ...ReceivedNotification[]]> =>
    await until(() =>
      receiver.received.length >= count ? ([...receiver.received] as [ReceivedNotification, ...ReceivedNotification[]]) : undefined,
    );

  it('is sent to every partner with a consent, including the one that reported, in the specified format', async () => {
    const [ours, theirs, strangers] = [await receive(), await receive(), await receive()];
    const rupa_id = await consented(bank, insurer);
    const endpoint = await register(bank, ours.url);
    await register(insurer, theirs.url);
    await register(await makePartner(service, { mode: 'sandbox' }), strangers.url);
    const contribution_id = await report(bank, {
      rupa_id,
      event: 'loan_disbursed',
      amount: 12_345,
      occurred_at: '2026-03-01',
      partner_reference: 'secret-reference',
    });
    const [first] = await received(ours);
    expect(first.json).toStrictEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'farmer.loan_added',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      mode: 'sandbox',
      data: { rupa_id, event: 'loan_disbursed', contribution_id, occurred_at: '2026-03-01T00:00:00.000Z', sequence: expect.any(Number) },
    });
    expect((await received(theirs))[0].body).toBe(first.body);
    expect(first.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': first.json.id });
    expect(await ended(bank, endpoint.id, 'delivered')).toStrictEqual({
      id: expect.any(Number),
      created_at: expect.any(String),
      event_id: first.json.id,
      event: 'farmer.loan_added',
      status: 'delivered',
      attempt: 1,
      response_status: 200,
      duration_ms: expect.any(Number),
      error: null,
      attempted_at: expect.any(String),
      next_attempt_at: null,
    });
    expect(strangers.received).toHaveLength(0);
  });

  it('verifies with the standardwebhooks library and by the rule of section 6', async () => {
    const receiver = await receive();
    const rupa_id = await consented(bank);
    const { signing_secret } = await register(bank, receiver.url);
    await report(bank, { rupa_id, event: 'loan_repayment' });
    const [{ body, headers }] = await received(receiver);
    expect(new Webhook(signing_secret).verify(body, headers)).toMatchObject({ type: 'farmer.loan_repaid' });
    expect(headers['x-rupa-signature']).toBe(createHmac('sha256', signing_secret).update(body).digest('hex'));
  });

  it('is signed with both the new and the old secret for a day after a rotation', async () => {
    const receiver = await receive();
    const rupa_id = await consented(bank);
    const { id, signing_secret: old } = await register(bank, receiver.url);
    const fresh = (await bank.call('POST', `/webhooks/${id}/rotate-secret`)).body.data.signing_secret as string;
    await report(bank, { rupa_id, event: 'loan_repayment' });
    const [{ body, headers }] = await received(receiver);
    for (const secret of [old, fresh]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
    expect(headers['x-rupa-signature']).toBe(createHmac('sha256', fresh).update(body).digest('hex'));
  });

  it('is sent for each of the nine event types, to endpoints subscribed to it or to all', async () => {
    const agtech = await makePartner(service, { mode: 'sandbox', account_type: 'agtech' });
    const rupa_id = await consented(bank);
    const [all, some] = [await receive(), await receive()];
    await register(bank, all.url);
    await register(bank, some.url, { events: ['farmer.claim_filed', 'farmer.credit_score_changed'] });
    for (const event of ['loan_disbursed', 'loan_repayment', 'loan_defaulted']) await report(bank, { rupa_id, event });
    for (const event of ['policy_issued', 'claim_filed', 'claim_settled']) await report(insurer, { rupa_id, event });
    for (const event of ['input_purchase', 'harvest_record']) await report(agtech, { rupa_id, event });
    await admin(service, 'PUT', `/farmers/${rupa_id}`, { credit_history: { credit_score: 640 } });
    const types = (await received(all, 9)).map(({ json }) => json.type).sort();
    expect(types).toStrictEqual(((await bank.call('GET', '/webhooks')).body.data.available_events as string[]).slice(0, 9).sort());
    expect((await received(some, 2)).map(({ json }) => json.type).sort()).toStrictEqual([
      'farmer.claim_filed',
      'farmer.credit_score_changed',
    ]);
    const scored = some.received.find(({ json }) => json.type === 'farmer.credit_score_changed');
    expect(scored?.json.data).toStrictEqual({
      rupa_id,
      event: 'credit_score_changed',
      contribution_id: null,
      occurred_at: scored?.json.created_at,
      sequence: expect.any(Number),
    });
    const sequences = all.received.map(({ json }) => json.data.sequence as number);
    expect(new Set(sequences).size).toBe(9);
  });

  it('is sent for a credit score only when the value changes', async () => {
    const receiver = await receive();
    const rupa_id = await consented(bank);
    await register(bank, receiver.url);
    const score = (credit_score: number | null, credit_rating: string): Promise<unknown> =>
      admin(service, 'PUT', `/farmers/${rupa_id}`, { credit_history: { credit_score, credit_rating } });
    await score(600, 'good');
    await score(600, 'better');
    await score(610, 'better');
    await report(bank, { rupa_id, event: 'loan_disbursed' });
    await received(receiver, 3);
    expect(receiver.received.filter(({ json }) => json.type === 'farmer.credit_score_changed')).toHaveLength(2);
  });

  it('is not sent for the update of a contribution or for a lookup', async () => {
    const receiver = await receive();
    const rupa_id = await consented(bank);
    await register(bank, receiver.url);
    await report(bank, { rupa_id, event: 'loan_disbursed', amount: 1, partner_reference: `once-${rupa_id}` });
    await report(bank, { rupa_id, event: 'loan_defaulted', amount: 2, partner_reference: `once-${rupa_id}` });
    await bank.lookup(rupa_id, { sections: ['identity'] });
    await report(bank, { rupa_id, event: 'loan_repayment' });
    // Attempts may overlap, so the newest delivery may arrive first.
    await until(() => receiver.received.length > 1 && receiver.received.some(({ json }) => json.type === 'farmer.loan_repaid'));
    expect(receiver.received.map(({ json }) => json.type).sort()).toStrictEqual(['farmer.loan_added', 'farmer.loan_repaid']);
  });

  it('is retried after failures with the same body and id and a valid signature', async () => {
    const statuses = [500, 302];
    const receiver = await receive((_request, response) =>
      response.writeHead(statuses.shift() ?? 204, { Location: 'http://127.0.0.1:1/' }).end(),
    );
    const rupa_id = await consented(bank);
    const { id, signing_secret } = await register(bank, receiver.url);
    await report(bank, { rupa_id, event: 'loan_disbursed' });
    const three = await received(receiver, 3);
    expect(new Set(three.map(({ body, headers }) => `${body}${headers['webhook-id'] ?? ''}`)).size).toBe(1);
    for (const { body, headers } of three) expect(new Webhook(signing_secret).verify(body, headers)).toBeTruthy();
    expect(await ended(bank, id, 'delivered')).toMatchObject({ attempt: 3, response_status: 204 });
  });

  it.each<[string, ReceiverResponse, object]>([
    [
      'resets the connection',
      (request) => {
        request.socket.destroy();
      },
      { error: 'reset', response_status: null },
    ],
    [
      'redirects',
      (_request, response) => response.writeHead(301, { Location: 'http://127.0.0.1/' }).end(),
      { error: 'status_301', response_status: 301 },
    ],
  ])('ends exhausted after three attempts in sandbox when the receiver %s', async (_name, response, outcome) => {
    const receiver = await receive(response);
    const rupa_id = await consented(bank);
    const { id } = await register(bank, receiver.url);
    await report(bank, { rupa_id, event: 'loan_disbursed' });
    expect(await ended(bank, id, 'exhausted')).toMatchObject({ attempt: 3, next_attempt_at: null, ...outcome });
    await bank.call('DELETE', `/webhooks/${id}`);
  });

  it('succeeds when the receiver sends a huge response', async () => {
    const receiver = await receive((_request, response) => response.writeHead(200).end(Buffer.alloc(5_000_000)));
    const { id } = await register(bank, receiver.url);
    await report(bank, { rupa_id: await consented(bank), event: 'loan_disbursed' });
    expect(await ended(bank, id, 'delivered')).toMatchObject({ attempt: 1 });
  });

  it('is delayed for as long as Retry-After says', async () => {
    const receiver = await receive((_request, response) => response.writeHead(503, { 'Retry-After': '3600' }).end());
    const { id } = await register(bank, receiver.url);
    await report(bank, { rupa_id: await consented(bank), event: 'loan_disbursed' });
    const { attempted_at, next_attempt_at, attempt } = await ended(bank, id, 'failed');
    expect(attempt).toBe(1);
    expect(Date.parse(next_attempt_at ?? '') - Date.parse(attempted_at ?? '')).toBe(3_600_000);
    await bank.call('DELETE', `/webhooks/${id}`);
  });

  it('disables an endpoint that responds 410, until the endpoint is updated', async () => {
    const receiver = await receive(410);
    const rupa_id = await consented(bank);
    const { id } = await register(bank, receiver.url);
    await report(bank, { rupa_id, event: 'loan_disbursed' });
    await until(async () => (await bank.call('GET', `/webhooks/${id}`)).body.data.status === 'disabled');
    expect((await bank.call('GET', `/webhooks/${id}`)).body.data).toMatchObject({ disabled_reason: 'gone' });
    await report(bank, { rupa_id, event: 'loan_repayment' });
    receiver.response = 200;
    expect((await bank.call('PATCH', `/webhooks/${id}`, {})).body.data).toMatchObject({ status: 'enabled', disabled_reason: null });
    await report(bank, { rupa_id, event: 'loan_defaulted' });
    await until(() => receiver.received.find(({ json }) => json.type === 'farmer.loan_defaulted'));
    expect(receiver.received.map(({ json }) => json.type)).toStrictEqual(['farmer.loan_added', 'farmer.loan_defaulted']);
  });

  it('is cancelled, and keeps the response to its last attempt, when the consent was released or the endpoint unsubscribed before the next', async () => {
    const receiver = await receive((_request, response) => response.writeHead(503, { 'Retry-After': '3600' }).end());
    const rupa_id = await consented(bank);
    const [released, narrowed] = [await register(bank, receiver.url), await register(bank, receiver.url)];
    await report(bank, { rupa_id, event: 'loan_disbursed' });
    await ended(bank, released.id, 'failed');
    await ended(bank, narrowed.id, 'failed');
    await bank.call('PATCH', `/webhooks/${narrowed.id}`, { events: ['farmer.claim_filed'] });
    await pool.query('update ops.webhook_delivery set next_attempt_at = now() where endpoint_id = $1', [narrowed.id]);
    expect(await ended(bank, narrowed.id, 'cancelled')).toMatchObject({ error: 'unsubscribed', attempt: 1, response_status: 503 });
    await bank.call('DELETE', `/consents/${rupa_id}`);
    const again = (await deliveries(bank, released.id))[0];
    await bank.call('POST', `/webhooks/${released.id}/deliveries/${again?.id ?? 0}/resend`);
    const cancelled = await ended(bank, released.id, 'cancelled');
    expect(cancelled).toMatchObject({ error: 'consent_released', response_status: 503 });
    // The endpoint responded to the delivery, so that the partner has its body.
    const { body } = await bank.call('GET', `/webhooks/${released.id}/deliveries/${cancelled.id}`);
    expect(receiver.received.map((each) => each.body)).toContain(body.data.body);
    await report(bank, { rupa_id, event: 'loan_repayment' });
    expect(receiver.received.every(({ json }) => json.type === 'farmer.loan_added')).toBe(true);
  });

  it('is sent again on demand, with the same id', async () => {
    const receiver = await receive();
    const { id } = await register(bank, receiver.url);
    await report(bank, { rupa_id: await consented(bank), event: 'loan_disbursed' });
    const delivery = await ended(bank, id, 'delivered');
    const resent = await bank.call('POST', `/webhooks/${id}/deliveries/${delivery.id}/resend`);
    expect(resent.body.data).toMatchObject({ id: delivery.id, event_id: delivery.event_id });
    const [one, two] = await received(receiver, 2);
    expect(two?.body).toBe(one.body);
  });

  it('is signed and attempted once for a test event', async () => {
    const receiver = await receive(500);
    const { id, signing_secret } = await register(bank, receiver.url, { events: ['farmer.claim_filed'] });
    expect((await bank.call('POST', `/webhooks/${id}/test`)).body.data).toMatchObject({ event: 'webhook.test' });
    expect(await ended(bank, id, 'exhausted')).toMatchObject({ event: 'webhook.test', attempt: 1, error: 'status_500' });
    const [{ body, headers }] = await received(receiver);
    expect(new Webhook(signing_secret).verify(body, headers)).toMatchObject({ type: 'webhook.test', mode: 'sandbox', data: {} });
  });

  it('is listed newest first, in pages', async () => {
    const receiver = await receive();
    const { id } = await register(bank, receiver.url);
    for (let test = 0; test < 5; test += 1) await bank.call('POST', `/webhooks/${id}/test`);
    const first = (await bank.call('GET', `/webhooks/${id}/deliveries?limit=3`)).body.data as { deliveries: Shown[]; next_cursor: string };
    const second = (await bank.call('GET', `/webhooks/${id}/deliveries?limit=3&cursor=${first.next_cursor}`)).body.data as {
      deliveries: Shown[];
      next_cursor: string | null;
    };
    expect([first.deliveries.length, second.deliveries.length, second.next_cursor]).toStrictEqual([3, 2, null]);
    const ids = [...first.deliveries, ...second.deliveries].map((delivery) => delivery.id);
    expect(ids).toStrictEqual([...ids].sort((one, other) => other - one));
    for (const query of ['?limit=0', '?limit=101', '?cursor=nonsense'])
      expect((await bank.call('GET', `/webhooks/${id}/deliveries${query}`)).status).toBe(422);
  });
});
