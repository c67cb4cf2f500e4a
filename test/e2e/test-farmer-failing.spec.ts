import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';

const FAILED = { status: 500, body: { success: false, code: 'internal_error' } };

describe('a lookup of rp-test-failing', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
  });

  const failing = (headers: Record<string, string> = {}) =>
    bank.call('POST', '/lookup', { rupa_id: 'rp-test-failing', sections: ['identity'] }, headers);
  const types = async () => (await entriesOf(service, bank)).map(({ type }) => type);

  it('is charged, fails with 500, and is refunded before the response', async () => {
    bank = await makePartner(service, { mode: 'sandbox', credit: 50 });
    expect(await failing()).toMatchObject(FAILED);
    const head = (await bank.call('GET', '/wallet/head')).body.data;
    expect(head).toMatchObject({ balance: 50 });
    expect(await types()).toStrictEqual(['WalletCredited', 'WalletDebited', 'ConsentGranted', 'RefundIssued']);
    expect((await bank.call('GET', '/lookups')).body.data).toMatchObject({
      lookups: [{ rupa_id: 'rp-test-failing', amount_charged: 50, outcome: 'refunded' }],
    });
    expect((await bank.call('GET', '/consents')).body.data).toMatchObject({ count: 0 });
    expect((await bank.call('GET', '/me')).body.data).toMatchObject({ wallet_balance: 50, compliance: { lookups: 0 } });
  });

  it('frees its Idempotency-Key, so that a retry is a new lookup', async () => {
    bank = await makePartner(service, { mode: 'sandbox', credit: 50 });
    const key = { 'Idempotency-Key': 'failing-once' };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const response = await failing(key);
      expect(response).toMatchObject(FAILED);
      expect(response.headers.has('Idempotent-Replayed')).toBe(false);
    }
    expect((await types()).filter((type) => type === 'RefundIssued')).toHaveLength(2);
    const other = await bank.call('POST', '/lookup', { rupa_id: 'rp-test-gold', sections: ['identity'] }, key);
    expect(other.status).toBe(200);
  });

  it('is refused with 402 when the wallet is short, and nothing is charged', async () => {
    bank = await makePartner(service, { mode: 'sandbox', credit: 49 });
    expect(await failing()).toMatchObject({ status: 402 });
    expect(await types()).toStrictEqual(['WalletCredited']);
  });

  it('leaves a wallet that verifies, and no error in the log', async () => {
    bank = await makePartner(service, { mode: 'sandbox', credit: 50 });
    await failing();
    expect((await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data).toMatchObject({
      ok: true,
      open_charges: 0,
    });
    const errors = service
      .output()
      .split('\n')
      .filter((line) => line.includes('a request failed') && line.includes('/v1/rupa/lookup'));
    expect(errors).toStrictEqual([]);
  });
});
