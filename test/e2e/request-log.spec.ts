import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { openLog } from '../support/service-log.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('a request', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    await admin(service, 'PUT', '/farmers/rp-logged', { identity: { full_name: 'Zainab Canary', phone_number: '+2348099999999' } });
    bank = await makePartner(service, { company_name: 'Canary Bank' });
  });

  const lines = (): Record<string, unknown>[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const logLinesOf = async (correlation_id: string | null): Promise<Record<string, unknown>[]> =>
    await until(() => {
      const found = lines().filter((line) => line.correlation_id === correlation_id && line.msg === 'a request was handled');
      return found.length > 0 && found;
    });

  it('is logged in one line with its route, status, duration, id and partner, and without its contents', async () => {
    const { headers } = await bank.call('POST', '/lookup', { rupa_id: 'rp-logged', source: 'canary-source' });
    const id = headers.get('X-Request-Id');
    expect(id).toMatch(UUID);
    expect(await logLinesOf(id)).toStrictEqual([
      {
        level: 20,
        time: expect.any(String),
        msg: 'a request was handled',
        method: 'POST',
        route: '/v1/rupa/lookup',
        status: 200,
        duration_ms: expect.any(Number),
        correlation_id: id,
        partner_id: bank.partner_id,
      },
    ]);
  });

  it('is logged without its path and query', async () => {
    const { headers } = await bank.call('DELETE', '/consents/rp-canary-nobody?canary=canary-query');
    expect(await logLinesOf(headers.get('X-Request-Id'))).toMatchObject([{ route: '/v1/rupa/consents/:rupaId', status: 422 }]);
    const unknown = await fetch(`${service.url}/canary-path?canary=canary-query`);
    expect(await logLinesOf(unknown.headers.get('X-Request-Id'))).toMatchObject([{ route: 'none', status: 404 }]);
    // The whole number of the telephone, because the random id of a request may contain a few digits of it.
    expect(service.output()).not.toMatch(/canary-(path|query|source|nobody)|Zainab|Canary|2348099999999|rp-logged/);
  });

  it('is recorded with its id, and with the cause, in the metadata of the resulting events', async () => {
    const { headers } = await bank.lookup('rp-logged', { sections: ['identity'] });
    const log = await openLog(service);
    try {
      const events = await log.eventStore.readStream(`wallet-${bank.partner_id}`);
      const debit = events.filter(({ type }) => type === 'WalletDebited').at(-1);
      expect(debit?.metadata).toMatchObject({ $correlationId: headers.get('X-Request-Id') });
    } finally {
      await log.eventStore.close();
    }
  });

  it('keeps the request id of its caller only if it is a UUID', async () => {
    const own = '0b54dbd2-8f5f-4b0f-a4a4-6f7c5f1d5a11';
    expect((await bank.call('GET', '/me', undefined, { 'X-Request-Id': own })).headers.get('X-Request-Id')).toBe(own);
    const other = (await bank.call('GET', '/me', undefined, { 'X-Request-Id': '08012345678' })).headers.get('X-Request-Id');
    expect(other).toMatch(UUID);
    expect(service.output()).not.toContain('08012345678');
  });

  it('has an id even when its URL cannot be parsed', async () => {
    expect((await fetch(`${service.url}/%E0%A4%A`)).headers.get('X-Request-Id')).toMatch(UUID);
  });
});
