import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

const EVENTS = [
  'farmer.loan_added',
  'farmer.loan_repaid',
  'farmer.loan_defaulted',
  'farmer.new_insurance_policy',
  'farmer.claim_filed',
  'farmer.claim_settled',
  'farmer.input_purchase',
  'farmer.harvest_record',
  'farmer.credit_score_changed',
  'account.low_balance',
  'farmer.erased',
];
const UNKNOWN = { status: 404, body: { success: false, message: 'No webhook endpoint found for that id.', code: 'webhook_not_found' } };
const URL = 'https://203.0.114.7/hook';

describe('webhook endpoints', () => {
  let service: Application;
  let live: TestPartner;
  let sandbox: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    live = await makePartner(service);
    sandbox = await makePartner(service, { mode: 'sandbox' });
  });

  const register = async (partner: TestPartner, over: object = {}) => await partner.call('POST', '/webhooks', { url: URL, ...over });
  const registered = async (partner: TestPartner, over: object = {}) =>
    (await register(partner, over)).body.data as { id: number; signing_secret: string };

  it('are registered for all events by default, with a secret that is shown once', async () => {
    const { status, body } = await register(live, { name: ' main ' });
    expect([status, body]).toStrictEqual([
      201,
      {
        success: true,
        message: 'Store the signing secret now: it will not be shown again.',
        data: {
          id: expect.any(Number),
          url: URL,
          name: 'main',
          subscribed_events: ['*'],
          signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        },
      },
    ]);
    const shown = await live.call('GET', `/webhooks/${String(body.data.id)}`);
    expect(shown.body.data).toStrictEqual({
      id: body.data.id,
      url: URL,
      name: 'main',
      subscribed_events: ['*'],
      status: 'enabled',
      disabled_reason: null,
      created_at: expect.any(String),
    });
  });

  it('are listed together with the available event types', async () => {
    const partner = await makePartner(service);
    expect((await partner.call('GET', '/webhooks')).body.data).toStrictEqual({ endpoints: [], available_events: EVENTS });
    const [one, two] = [
      await registered(partner, { events: ['farmer.loan_added', 'farmer.loan_added'] }),
      await registered(partner, { events: ['farmer.claim_filed', '*'] }),
    ];
    expect((await partner.call('GET', '/webhooks')).body.data).toMatchObject({
      endpoints: [
        { id: one.id, subscribed_events: ['farmer.loan_added'], name: null },
        { id: two.id, subscribed_events: ['*'] },
      ],
    });
  });

  it.each(['PUT', 'PATCH'])('are partially updated by %s', async (method) => {
    const { id } = await registered(live, { name: 'old', events: ['farmer.loan_added'] });
    const update = async (body: object) => (await live.call(method, `/webhooks/${id}`, body)).body.data;
    expect(await update({ name: 'new' })).toMatchObject({ id, url: URL, name: 'new', subscribed_events: ['farmer.loan_added'] });
    expect(await update({ events: ['*'] })).toMatchObject({ name: 'new', subscribed_events: ['*'] });
    expect(await update({ url: 'https://203.0.114.8/other', name: '' })).toMatchObject({ url: 'https://203.0.114.8/other', name: null });
    expect(await update({})).toMatchObject({ url: 'https://203.0.114.8/other' });
    expect((await live.call(method, `/webhooks/${id}`, { url: 'http://203.0.114.8/' })).status).toBe(422);
  });

  it('are not found after they were deleted', async () => {
    const { id } = await registered(live);
    expect((await live.call('DELETE', `/webhooks/${id}`)).body).toStrictEqual({ success: true, data: { deleted: true, id } });
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PATCH', ''],
      ['POST', '/rotate-secret'],
      ['GET', '/deliveries'],
      ['POST', '/test'],
    ]) {
      expect(await live.call(method ?? '', `/webhooks/${id}${path ?? ''}`, method === 'PATCH' ? {} : undefined)).toMatchObject(UNKNOWN);
    }
  });

  it('get a new secret by rotation, which is shown once', async () => {
    const { id, signing_secret } = await registered(live);
    const { body } = await live.call('POST', `/webhooks/${id}/rotate-secret`);
    expect(body).toStrictEqual({
      success: true,
      message: 'Store the signing secret now: it will not be shown again.',
      data: { id, signing_secret: expect.stringMatching(/^whsec_/) },
    });
    expect(body.data.signing_secret).not.toBe(signing_secret);
  });

  it('are visible to their own partner only', async () => {
    const { id } = await registered(live);
    for (const path of [`/webhooks/${id}`, '/webhooks/999999', '/webhooks/x', '/webhooks/0'])
      expect(await sandbox.call('GET', path)).toMatchObject(UNKNOWN);
    expect(await sandbox.call('PUT', `/webhooks/${id}`, { name: 'mine' })).toMatchObject(UNKNOWN);
    expect(await sandbox.call('DELETE', `/webhooks/${id}`)).toMatchObject(UNKNOWN);
    expect(await sandbox.call('POST', `/webhooks/${id}/rotate-secret`)).toMatchObject(UNKNOWN);
    expect(await sandbox.call('POST', `/webhooks/${id}/test`)).toMatchObject(UNKNOWN);
    expect(await sandbox.call('POST', `/webhooks/${id}/deliveries/1/resend`)).toMatchObject(UNKNOWN);
    expect(await live.call('POST', `/webhooks/${id}/deliveries/1/resend`)).toMatchObject({
      status: 404,
      body: { message: 'No delivery found for that id.' },
    });
  });

  it.each([
    [{ url: undefined }, { url: ['The url field is required.'] }],
    [{ url: 'partner.example' }, { url: ['The url field must be a valid URL.'] }],
    [{ url: 'http://203.0.114.7/hook' }, { url: ['The url field must begin with https://.'] }],
    [{ url: 'https://u:p@203.0.114.7/' }, { url: ['The url field must not contain a user name or a password.'] }],
    [{ url: 'https://203.0.114.7:22/' }, { url: ['The url field must use port 443 or one from 1024.'] }],
    [{ url: 'https://10.0.0.1/' }, { url: ['The url field must name a host that is reachable from the public internet.'] }],
    [{ url: 'https://[::ffff:7f00:1]/' }, { url: ['The url field must name a host that is reachable from the public internet.'] }],
    [{ url: 'https://localhost/' }, { url: ['The url field must name a host that is reachable from the public internet.'] }],
    [{ events: [] }, { events: ['The events field must have at least 1 item.'] }],
    [
      { events: ['farmer.loan_added', 'farmer.died'] },
      { 'events.1': [expect.stringMatching(/^The events\.1 field must be one of farmer\.loan_added/)] },
    ],
    [{ events: 'all' }, { events: ['The events field must be a list.'] }],
    [{ name: 7 }, { name: ['The name field must be a string.'] }],
  ])('are refused with an error for the field: %j', async (over, errors) => {
    const { status, body } = await register(live, over);
    expect([status, body.message, body.data]).toStrictEqual([422, 'Validation Error', { errors }]);
  });

  it('may use plain http in sandbox, but never a private address', async () => {
    expect((await register(sandbox, { url: 'http://203.0.114.7/hook' })).status).toBe(201);
    expect((await register(sandbox, { url: 'http://127.0.0.1/hook' })).status).toBe(422);
    expect((await register(sandbox, { url: 'ftp://203.0.114.7/hook' })).status).toBe(422);
  });

  it('are limited to twenty per partner, even when many are registered concurrently', async () => {
    const busy = await makePartner(service);
    const responses = await Promise.all(Array.from({ length: 24 }, () => register(busy)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(responses.find(({ status }) => status !== 201)).toMatchObject({
      status: 422,
      body: { data: { errors: { url: ['A partner can have at most 20 webhook endpoints; delete one first.'] } } },
    });
    const [first] = ((await busy.call('GET', '/webhooks')).body.data as { endpoints: { id: number }[] }).endpoints;
    await busy.call('DELETE', `/webhooks/${first?.id ?? 0}`);
    expect((await register(busy)).status).toBe(201);
  });
});
