import { describe, expect, it } from '@jest/globals';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { onOwnStores, type SharedStores } from '../support/shared-stores.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Called {
  readonly call: string;
  readonly status: number;
  readonly retryAfter: string | null;
}

describe('while the event store is away,', () => {
  async function everyCall(service: TestService, partner: TestPartner): Promise<Called[]> {
    const wallet = `/partners/${partner.partner_id}/wallet`;
    const ofPartner: readonly (readonly [string, string, unknown?])[] = [
      ['POST', '/lookup', { rupa_id: 'rp-1', sections: ['identity'] }],
      ['POST', '/report', { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1, partner_reference: 'r1' }],
      ['POST', '/lookups', { rupa_ids: ['rp-1', 'rp-1'], sections: ['identity'] }],
      ['POST', '/reports', { reports: [{ rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1, partner_reference: 'r2' }] }],
      ['GET', '/me'],
      ['GET', '/consents'],
      ['DELETE', '/consents/rp-1'],
      ['GET', '/webhooks'],
      ['POST', '/webhooks', { url: 'https://partner.example/hook' }],
    ];
    const ofAdministrator: readonly (readonly [string, string, unknown?])[] = [
      ['GET', '/partners'],
      ['POST', '/partners', { company_name: 'Another', account_type: 'bank', mode: 'sandbox' }],
      ['POST', `/partners/${partner.partner_id}/activate`],
      ['POST', `/partners/${partner.partner_id}/api-keys`, {}],
      ['GET', wallet],
      ['GET', `${wallet}/entries`],
      ['GET', `${wallet}/verification`],
      ['POST', `${wallet}/credits`, { amount: 1, reference: 'c1' }],
      ['GET', '/farmers/rp-1'],
      ['PUT', '/farmers/rp-1', { mode: 'sandbox', phone_verified: true }],
      ['DELETE', '/farmers/rp-2'],
      ['GET', '/price-book'],
      ['GET', '/projections'],
    ];
    const partners = ofPartner.map(async ([method, path, body]) => ({
      call: `${method} ${path}`,
      ...(await partner.call(method, path, body)),
    }));
    const administrators = ofAdministrator.map(async ([method, path, body]) => ({
      call: `${method} ${path}`,
      ...(await admin(service, method, path, body)),
    }));
    const responses = await Promise.all([...partners, ...administrators]);
    return responses.map(({ call, status, headers }) => ({ call, status, retryAfter: headers.get('Retry-After') }));
  }

  const recovers = async (kind: string, stores: SharedStores): Promise<void> => {
    const service = await stores.start('api,projector,webhooks');
    const partner = await makePartner(service, { mode: 'sandbox' });
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { mode: 'sandbox' }));
    expect((await whenServed(() => partner.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
    if (kind === 'killed') await stores.store.kill();
    else stores.store.pause();
    const called = async (): Promise<Called[]> => {
      const responses = await everyCall(service, partner);
      expect(responses.filter(({ status, retryAfter }) => status >= 500 && (status !== 503 || retryAfter === null))).toStrictEqual([]);
      return responses;
    };
    const responses = await called();
    expect(responses.filter(({ status }) => status === 503).map(({ call }) => call)).toEqual(
      expect.arrayContaining([
        'POST /lookup',
        'POST /lookups',
        'POST /report',
        'GET /farmers/rp-1',
        `POST /partners/${partner.partner_id}/activate`,
      ]),
    );
    if (kind === 'killed') await stores.store.restart();
    else stores.store.resume();
    await until(async () => (await partner.lookup('rp-1', { sections: ['identity'] })).status === 200);
    // The parts recover one after the other: read models lag for a moment after lookups are served.
    await until(async () => (await called()).every(({ status }) => status < 500));
  };

  it.concurrent.each(['killed', 'frozen'])('every error is a 503 with Retry-After, and the service recovers by itself: %s', (kind) =>
    onOwnStores((stores) => recovers(kind, stores)),
  );
});
