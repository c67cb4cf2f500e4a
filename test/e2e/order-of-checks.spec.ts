import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, call, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** Each request fails one check and all checks after it (decisions, "Checks, in this order"). */
describe('a lookup that fails several checks', () => {
  let service: TestService;
  let pending: TestPartner;
  let unfunded: TestPartner;

  beforeAll(async () => {
    service = await startApplication({ RATE_LIMIT_SANDBOX_PER_SECOND: '2' });
    pending = await makePartner(service, { active: false, credit: 0, mode: 'sandbox' });
    unfunded = await makePartner(service, { credit: 0 });
    await admin(service, 'PUT', '/farmers/rp-1', {});
  });
  afterAll(() => service.stop());

  const wrongBody = { sections: [] };
  const message = async (response: Promise<{ status: number; body: { message?: string } }>): Promise<[number, string | undefined]> => {
    const { status, body } = await response;
    return [status, body.message];
  };

  it('is refused first for a missing or unknown key (checks 1 and 2)', async () => {
    expect(await message(call(service, 'POST', '/v1/rupa/lookup', { body: wrongBody }))).toStrictEqual([
      401,
      'API key is required in the X-API-KEY header.',
    ]);
    const headers = { 'X-API-KEY': 'rupa_key_nobody' };
    expect(await message(call(service, 'POST', '/v1/rupa/lookup', { headers, body: wrongBody }))).toStrictEqual([
      401,
      'The provided API key is invalid or has been deactivated.',
    ]);
  });

  it('is refused next for a key without a partner (check 3)', async () => {
    const { api_key } = (await admin(service, 'POST', '/api-keys', {})).body.data as { api_key: string };
    expect(await message(partnerWith(service, '', api_key).call('POST', '/lookup', wrongBody))).toStrictEqual([
      403,
      'This API key is not linked to a Rupa partner account.',
    ]);
  });

  it('is refused next for an address that is not on the allow list (check 4)', async () => {
    const far = await makePartner(service, { active: false });
    await admin(service, 'PUT', `/partners/${far.partner_id}/ip-allow-list`, { cidrs: ['203.0.113.0/24'] });
    expect(await message(far.call('POST', '/lookup', wrongBody))).toStrictEqual([
      403,
      'This partner account is not permitted from your IP address.',
    ]);
  });

  it('is refused next by the rate limit, then for the partner’s status (checks 5 and 6)', async () => {
    const statuses = await until(async () => {
      const burst = await Promise.all(Array.from({ length: 5 }, () => pending.call('POST', '/lookup', wrongBody)));
      return burst.some(({ status }) => status === 429) && burst.some(({ status }) => status === 403) ? burst : undefined;
    });
    expect(statuses.find(({ status }) => status === 403)?.body.message).toBe(
      'Your partner account is pending. Contact the provider to activate API access.',
    );
  });

  it('is refused next for an invalid body (check 7)', async () => {
    expect(await message(unfunded.call('POST', '/lookup', { rupa_id: 'rp-nobody', ...wrongBody }))).toStrictEqual([
      422,
      'Validation Error',
    ]);
  });

  it('is refused next when no requested section is permitted (check 8)', async () => {
    expect(await message(unfunded.lookup('rp-nobody', { sections: ['farms'] }))).toStrictEqual([
      403,
      'None of the requested sections are permitted for your account type.',
    ]);
  });

  it('is refused next for an unknown farmer (check 9)', async () => {
    expect(await message(unfunded.lookup('rp-nobody'))).toStrictEqual([404, 'No farmer found for that Rupa ID.']);
  });

  it('is refused last when the balance is too low (check 10)', async () => {
    expect(await message(unfunded.lookup('rp-1'))).toStrictEqual([402, 'Insufficient wallet balance for this lookup.']);
  });
});
