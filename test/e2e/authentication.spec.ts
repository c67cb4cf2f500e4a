import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { generateApiKey, hashApiKey } from '../../src/contexts/partners/keys/api-key-material.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { type DataKeys } from '../../src/platform/key-store/data-keys.js';
import { sharedApplication, startApplication } from '../support/application.js';
import { admin, call, makePartner, partnerWith, type TestPartner, whenServed } from '../support/client.js';
import { openLog } from '../support/service-log.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';
import { API_KEY_STREAMS } from '../../src/contexts/partners/domain/api-key.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';

const errorResponse = (status: number, message: string) => ({ status, body: { success: false, message } });

describe('authentication of partners (5)', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-door-1', {});
  });

  it.each(['/v1/rupa/me', '/v1/rupa/consents'])('requires a known key for %s', async (path) => {
    expect(await call(service, 'GET', path)).toMatchObject(errorResponse(401, 'API key is required in the X-API-KEY header.'));
    expect(await call(service, 'GET', path, { headers: { 'X-API-KEY': 'rupa_key_wrong' } })).toMatchObject(
      errorResponse(401, 'The provided API key is invalid or has been deactivated.'),
    );
  });

  it('distinguishes a malformed key from an unknown one only in the WWW-Authenticate header', async () => {
    const message = 'The provided API key is invalid or has been deactivated.';
    const mistyped = await partnerWith(service, '', `${bank.key.slice(0, -1)}${bank.key.endsWith('0') ? '1' : '0'}`).call('GET', '/me');
    const unknown = await partnerWith(service, '', generateApiKey(null)).call('GET', '/me');
    expect([mistyped, unknown]).toMatchObject([errorResponse(401, message), errorResponse(401, message)]);
    expect(mistyped.headers.get('www-authenticate')).toMatch(/^ApiKey realm="rupa", error="malformed_key"/);
    expect(unknown.headers.get('www-authenticate')).toMatch(/^ApiKey realm="rupa", error="invalid_key"/);
    expect((await call(service, 'GET', '/v1/rupa/me')).headers.get('www-authenticate')).toBe('ApiKey realm="rupa"');
  });

  it('accepts keys that were issued before keys had a checksum', async () => {
    const log = await openLog(service);
    const api_key = `rupa_key_${randomBytes(32).toString('base64url')}`;
    const issue = {
      kind: 'issue' as const,
      key_id: randomUUID(),
      key_hash: hashApiKey(api_key),
      label: null,
      partner_id: bank.partner_id,
      at: new Date().toISOString(),
      actor: 'test',
    };
    await new StreamWriter(log.eventStore, new Codec(eventCatalogue, {} as DataKeys), API_KEY_STREAMS).execute(issue.key_id, issue);
    await log.eventStore.close();
    await until(async () => (await partnerWith(service, '', api_key).call('GET', '/me')).status === 200);
  });

  it('refuses a deactivated key at once', async () => {
    const { key_id, api_key } = (await admin(service, 'POST', `/partners/${bank.partner_id}/api-keys`, { label: 'second' })).body.data as {
      key_id: string;
      api_key: string;
    };
    const second = partnerWith(service, bank.partner_id, api_key);
    expect((await second.call('GET', '/me')).status).toBe(200);
    expect((await admin(service, 'DELETE', `/api-keys/${key_id}`)).body.data).toStrictEqual({ key_id, deactivated: true });
    expect(await second.call('GET', '/me')).toMatchObject(errorResponse(401, 'The provided API key is invalid or has been deactivated.'));
    expect((await bank.call('GET', '/me')).status).toBe(200);
  });

  it('refuses a key that is not linked to a partner', async () => {
    const { key_id, api_key } = (await admin(service, 'POST', '/api-keys', {})).body.data as { key_id: string; api_key: string };
    const unlinked = partnerWith(service, '', api_key);
    expect(await unlinked.call('GET', '/me')).toMatchObject(errorResponse(403, 'This API key is not linked to a Rupa partner account.'));
    expect((await admin(service, 'PUT', `/api-keys/${key_id}/partner`, { partner_id: bank.partner_id })).body.data).toStrictEqual({
      key_id,
      partner_id: bank.partner_id,
    });
    expect((await unlinked.call('GET', '/me')).status).toBe(200);
  });

  it('keeps a key with the partner that it was linked to, and refuses to link a deactivated one', async () => {
    const { key_id, api_key } = (await admin(service, 'POST', '/api-keys', {})).body.data as { key_id: string; api_key: string };
    const link = async (partner_id: string) => await admin(service, 'PUT', `/api-keys/${key_id}/partner`, { partner_id });
    const other = await makePartner(service, { account_type: 'insurer' });
    expect((await link(bank.partner_id)).status).toBe(200);
    expect((await link(bank.partner_id)).status).toBe(200);
    expect(await link(other.partner_id)).toMatchObject(
      errorResponse(409, 'This API key is linked to another partner. Issue a key of its own for each partner.'),
    );
    expect((await partnerWith(service, '', api_key).call('GET', '/me')).body.data).toMatchObject({ account_type: 'bank' });
    await admin(service, 'DELETE', `/api-keys/${key_id}`);
    for (const { partner_id } of [bank, other]) {
      expect(await link(partner_id)).toMatchObject(
        errorResponse(409, 'This API key is deactivated and cannot be linked. Issue another key.'),
      );
    }
  });

  it('refuses an address that is not on the partner’s allow list', async () => {
    const listed = await makePartner(service);
    await admin(service, 'PUT', `/partners/${listed.partner_id}/ip-allow-list`, { cidrs: ['203.0.113.0/24'] });
    expect(await listed.call('GET', '/me', undefined, { 'X-Forwarded-For': '203.0.113.9' })).toMatchObject(
      errorResponse(403, 'This partner account is not permitted from your IP address.'),
    );
    await admin(service, 'PUT', `/partners/${listed.partner_id}/ip-allow-list`, { cidrs: ['127.0.0.0/8', '::1'] });
    expect((await listed.call('GET', '/me')).status).toBe(200);
  });

  it('limits a pending partner to free endpoints, before it validates the body', async () => {
    const pending = await makePartner(service, { active: false });
    expect((await pending.call('GET', '/me')).body.data).toMatchObject({ status: 'pending' });
    expect((await pending.call('GET', '/consents')).status).toBe(200);
    const message = 'Your partner account is pending. Contact the provider to activate API access.';
    expect(await pending.lookup('rp-door-1')).toMatchObject(errorResponse(403, message));
    expect(await pending.call('POST', '/lookup', {})).toMatchObject(errorResponse(403, message));
    await admin(service, 'POST', `/partners/${pending.partner_id}/activate`);
    expect((await pending.lookup('rp-door-1')).status).toBe(200);
    await admin(service, 'POST', `/partners/${pending.partner_id}/deactivate`);
    expect((await pending.lookup('rp-door-1')).status).toBe(403);
  });
});

describe('authentication of administrators', () => {
  let service: Application;

  beforeAll(async () => {
    service = await sharedApplication();
  });

  it.each([undefined, 'Bearer wrong', 'Basic x'])('refuses the Authorization header %s', async (Authorization) => {
    const headers: Record<string, string> = Authorization ? { Authorization } : {};
    expect((await call(service, 'GET', '/admin/v1/partners', { headers })).status).toBe(401);
  });

  it('allows an auditor to read, to verify, and nothing else', async () => {
    const headers = { Authorization: `Bearer ${service.auditorToken}` };
    expect((await call(service, 'GET', '/admin/v1/partners', { headers })).status).toBe(200);
    for (const [path, status] of [
      ['partners', 200],
      ['farmers/rp-never', 403],
    ] as const)
      expect((await whenServed(() => fetch(`${service.url}/admin/v1/${path}`, { method: 'HEAD', headers }))).status).toBe(status);
    expect((await call(service, 'PUT', '/admin/v1/price-book', { headers, body: { fees: {} } })).status).toBe(403);
    expect((await call(service, 'POST', '/admin/v1/projections/price_book/verify', { headers })).status).toBe(202);
    for (const action of ['rebuild', 'retry'])
      expect((await call(service, 'POST', `/admin/v1/projections/price_book/${action}`, { headers })).status).toBe(403);
  });

  it('keeps farmers’ records from an auditor, known and unknown ones', async () => {
    await admin(service, 'PUT', '/farmers/rp-auditor', { identity: { full_name: 'Aisha Bello' } });
    const headers = { Authorization: `Bearer ${service.auditorToken}` };
    for (const rupaId of ['rp-auditor', 'rp-never']) {
      expect(await call(service, 'GET', `/admin/v1/farmers/${rupaId}`, { headers })).toMatchObject({
        status: 403,
        body: { code: 'role_not_allowed', message: 'This token may not read farmers’ personal data.' },
      });
    }
    expect((await admin(service, 'GET', '/farmers/rp-auditor')).status).toBe(200);
  });
});

describe('a trusted proxy', () => {
  it('supplies the caller’s address in X-Forwarded-For', async () => {
    const service = await startApplication({ TRUSTED_PROXIES: '127.0.0.1,::1' });
    try {
      const partner = await makePartner(service);
      await admin(service, 'PUT', `/partners/${partner.partner_id}/ip-allow-list`, { cidrs: ['203.0.113.0/24'] });
      expect((await partner.call('GET', '/me', undefined, { 'X-Forwarded-For': '203.0.113.9' })).status).toBe(200);
      expect((await partner.call('GET', '/me', undefined, { 'X-Forwarded-For': '198.51.100.1' })).status).toBe(403);
    } finally {
      await service.stop();
    }
  });
});
