import { beforeAll, describe, expect, it } from '@jest/globals';
import { ERASED_TYPE, NOTIFICATION_TYPES } from '../../src/contexts/webhooks/domain/notification-types.js';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface ListedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

describe('an event that is triggered in the sandbox', () => {
  let service: Application;
  let sandbox: TestPartner;
  let other: TestPartner;
  let cursor = '';

  beforeAll(async () => {
    service = await sharedWebhookApplication();
    sandbox = await makePartner(service, { mode: 'sandbox', credit: 0, active: false });
    other = await makePartner(service, { mode: 'sandbox' });
    await admin(service, 'PUT', '/farmers/rp-triggered', { mode: 'sandbox' });
    await admin(service, 'PUT', '/farmers/rp-not-triggered', {});
    expect((await other.lookup('rp-triggered', { sections: ['identity'] })).status).toBe(200);
  });

  const trigger = (body: unknown, headers: Record<string, string> = {}, partner = sandbox) =>
    partner.call('POST', '/sandbox/events', body, headers);
  /** Returns the next events, at least one. */
  const next = async (): Promise<readonly ListedEvent[]> =>
    await until(async () => {
      const { data } = (await sandbox.call('GET', `/events?wait=30${cursor}`)).body;
      cursor = `&cursor=${String(data.next_cursor)}`;
      const events = data.events as ListedEvent[];
      return events.length > 0 && events;
    });

  it.each([...NOTIFICATION_TYPES, ERASED_TYPE])(
    'is in the list of the caller alone, consent or not, marked as a test: %s',
    async (type) => {
      const triggered = await trigger({ type, rupa_id: 'RP-Triggered' });
      expect(triggered).toMatchObject({ status: 202, body: { data: { id: expect.any(String), type, rupa_id: 'rp-triggered' } } });
      const [event, ...more] = await next();
      expect([event?.id, event?.type, event?.data.rupa_id, event?.data.test, more]).toStrictEqual([
        triggered.body.data.id,
        type,
        'rp-triggered',
        true,
        [],
      ]);
      expect((await other.call('GET', '/events')).body.data.events).toStrictEqual([]);
    },
  );

  it('is delivered without a consent to the endpoints of the caller that subscribe to it', async () => {
    const [all, claims, theirs] = [await startReceiver(), await startReceiver(), await startReceiver()];
    await sandbox.call('POST', '/webhooks', { url: all.url });
    await sandbox.call('POST', '/webhooks', { url: claims.url, events: ['farmer.claim_filed'] });
    await other.call('POST', '/webhooks', { url: theirs.url });
    for (const type of ['farmer.loan_added', 'farmer.claim_filed']) await trigger({ type, rupa_id: 'rp-triggered' });
    const listed = [...(await next())];
    while (listed.length < 2) listed.push(...(await next()));
    // The report's notification comes after all that the triggered events could have caused.
    await other.call('POST', '/report', { rupa_id: 'rp-triggered', event: 'loan_disbursed' });
    await until(() => all.received.length + claims.received.length + theirs.received.length >= 4);
    expect(all.received.map(({ json }) => json).sort((one, two) => Number(one.data.sequence) - Number(two.data.sequence))).toStrictEqual(
      listed,
    );
    expect(claims.received.map(({ json }) => json)).toStrictEqual(listed.slice(1));
    expect(theirs.received.map(({ json }) => json.data.test)).toStrictEqual([undefined]);
    await Promise.all([all, claims, theirs].map((receiver) => receiver.close()));
    for (const { id } of (await sandbox.call('GET', '/webhooks')).body.data.endpoints as { id: number }[])
      await sandbox.call('DELETE', `/webhooks/${id}`);
  });

  it('can be that of a low balance, without a farmer', async () => {
    expect((await trigger({ type: 'account.low_balance' })).body.data).toMatchObject({ rupa_id: null });
    await sandbox.call('PUT', '/me/low-balance', { amount: 700 });
    expect((await next())[0]?.data).toStrictEqual({ balance: 0, threshold: 5000, currency: 'NGN', test: true });
    await trigger({ type: 'account.low_balance', rupa_id: 'rp-triggered' });
    expect((await next())[0]?.data).toStrictEqual({ balance: 0, threshold: 700, currency: 'NGN', test: true });
  });

  it('is made once for an Idempotency-Key', async () => {
    const keyed = () => trigger({ type: 'farmer.loan_repaid', rupa_id: 'rp-triggered' }, { 'Idempotency-Key': 'once' });
    const [first, second] = [await keyed(), await keyed()];
    expect([second.status, second.body, second.headers.get('Idempotent-Replayed')]).toStrictEqual([202, first.body, 'true']);
    await trigger({ type: 'farmer.claim_filed', rupa_id: 'rp-triggered' });
    const found = [...(await next())];
    while (found.at(-1)?.type !== 'farmer.claim_filed') found.push(...(await next()));
    expect(found.map(({ type }) => type)).toStrictEqual(['farmer.loan_repaid', 'farmer.claim_filed']);
  });

  it.each([
    {},
    { type: 'webhook.test', rupa_id: 'rp-triggered' },
    { type: '*' },
    { type: 'farmer.loan_added' },
    { type: 'farmer.erased' },
    { type: 'farmer.loan_added', rupa_id: 'a b' },
  ])('is not %j (422)', async (body) => {
    expect(await trigger(body)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  it('needs a farmer of the sandbox (404)', async () => {
    for (const rupa_id of ['rp-nobody', 'rp-not-triggered'])
      expect(await trigger({ type: 'farmer.loan_added', rupa_id })).toMatchObject({ status: 404, body: { code: 'farmer_not_found' } });
  });

  it('is refused to a live key, before the body is looked at', async () => {
    const live = await makePartner(service);
    for (const body of [{ type: 'farmer.loan_added', rupa_id: 'rp-triggered' }, '{"type":', 'x'.repeat(70_000)])
      expect(await trigger(body, {}, live)).toMatchObject({ status: 403, body: { code: 'sandbox_only' } });
  });
});
