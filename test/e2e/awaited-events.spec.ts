import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_WAITING_PER_PARTNER } from '../../src/contexts/webhooks/events/event-arrivals.js';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

describe('a call that waits for events', () => {
  let service: Application;
  let bank: TestPartner;
  let other: TestPartner;
  let cursor: string;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    other = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-awaited', {});
    await bank.lookup('rp-awaited', { sections: ['identity'] });
  });

  beforeEach(async () => {
    cursor = String((await bank.call('GET', '/events')).body.data.next_cursor);
  });

  const wait = (seconds: number, query = '', partner = bank) => partner.call('GET', `/events?wait=${seconds}&cursor=${cursor}${query}`);
  /** Returns the first page with events; a call whose time is over before there are any is made again. */
  const awaited = async (query = ''): Promise<unknown> =>
    await until(async () => {
      const { events } = (await wait(30, query)).body.data as { events: readonly unknown[] };
      return events.length > 0 && events;
    });
  const report = async (event: string): Promise<unknown> =>
    (await bank.call('POST', '/report', { rupa_id: 'rp-awaited', event })).body.data.contribution_id;
  const abandoned = (): AbortController => {
    const caller = new AbortController();
    fetch(`${service.url}/v1/rupa/events?wait=30&cursor=${cursor}`, { headers: { 'X-API-KEY': bank.key }, signal: caller.signal }).catch(
      () => undefined,
    );
    return caller;
  };

  it('gets an empty page with its cursor when the time is over', async () => {
    expect((await wait(1)).body.data).toStrictEqual({ events: [], next_cursor: cursor });
  });

  it('gets the first event that it asked for, and is not kept by those of others and of other types', async () => {
    const repaid = awaited('&type=farmer.loan_repaid');
    const any = awaited();
    const others = wait(1, '', other);
    const loan = await report('loan_disbursed');
    // The second report waits for the first call's response: a call that reaches the service after both would rightly get both.
    expect(await any).toMatchObject([{ type: 'farmer.loan_added', data: { contribution_id: loan } }]);
    const repayment = await report('loan_repayment');
    expect(await repaid).toMatchObject([{ type: 'farmer.loan_repaid', data: { contribution_id: repayment } }]);
    expect((await others).body.data.events).toStrictEqual([]);
  });

  it('is refused beyond ten of a partner (429), until a caller goes away', async () => {
    const callers = Array.from({ length: MAX_WAITING_PER_PARTNER }, abandoned);
    const refused = await until(async () => {
      const response = await wait(1);
      if (response.status === 429) return response;
      // This call came before one of the callers, which was refused instead, or their time is over.
      callers.push(abandoned());
      return false;
    });
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect((await wait(0)).status).toBe(200);
    expect((await wait(1, '', other)).status).toBe(200);
    for (const caller of callers) caller.abort();
    await until(async () => (await wait(1)).status === 200);
  });

  it('gets a 401 if its key was deactivated meanwhile', async () => {
    const { api_key, key_id } = (await admin(service, 'POST', `/partners/${bank.partner_id}/api-keys`, {})).body.data as Record<
      string,
      string
    >;
    const waiting = fetch(`${service.url}/v1/rupa/events?wait=30&cursor=${cursor}`, { headers: { 'X-API-KEY': api_key ?? '' } });
    expect((await admin(service, 'DELETE', `/api-keys/${key_id ?? ''}`)).status).toBe(200);
    await report('loan_defaulted');
    expect((await waiting).status).toBe(401);
  });
});
