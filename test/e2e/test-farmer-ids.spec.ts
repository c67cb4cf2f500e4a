import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner } from '../support/client.js';
import { type Application } from '../support/service.js';

const RESERVED = { status: 409, body: { code: 'conflict', message: expect.stringContaining('begin with rp-test- are reserved') } };
const ERASED = { status: 409, body: { code: 'farmer_erased' } };

describe('a Rupa ID that begins with rp-test-', () => {
  let service: Application;

  beforeAll(async () => {
    service = await sharedApplication();
    await makePartner(service, { mode: 'sandbox' });
  });

  it.each(['live', 'sandbox', undefined])('cannot be registered by administrators (mode %s)', async (mode) => {
    expect(await admin(service, 'PUT', '/farmers/rp-test-mine', { mode })).toMatchObject(RESERVED);
    expect(await admin(service, 'PUT', '/farmers/RP-TEST-Mine', { mode })).toMatchObject(RESERVED);
    expect(await admin(service, 'GET', '/farmers/rp-test-mine')).toMatchObject({ status: 404 });
  });

  it('cannot be changed or erased by administrators if it is a test farmer', async () => {
    const before = (await admin(service, 'GET', '/farmers/rp-test-gold')).body.data;
    expect(await admin(service, 'PUT', '/farmers/rp-test-gold', { phone_verified: false })).toMatchObject(RESERVED);
    expect(await admin(service, 'DELETE', '/farmers/rp-test-gold')).toMatchObject(RESERVED);
    expect((await admin(service, 'GET', '/farmers/rp-test-gold')).body.data).toStrictEqual(before);
  });

  it('is erased for administrators if it is rp-test-erased', async () => {
    expect(await admin(service, 'PUT', '/farmers/rp-test-erased', {})).toMatchObject(ERASED);
    expect(await admin(service, 'DELETE', '/farmers/rp-test-erased')).toMatchObject(ERASED);
    expect(await admin(service, 'GET', '/farmers/rp-test-erased')).toMatchObject({ status: 404 });
    expect((await admin(service, 'GET', '/farmers/rp-test-erased/report')).body.data).toMatchObject({
      mode: 'sandbox',
      erased_at: expect.any(String),
    });
  });
});
