import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface Key {
  readonly key_id: string;
  readonly partner_id: string | null;
  readonly label: string | null;
  readonly last_used_at: string | null;
  readonly deactivated_at: string | null;
}

const HOUR_MS = 3_600_000;

describe('the lists of API keys', () => {
  let service: Application;
  let partner: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    partner = await makePartner(service);
  });

  const keysAt = async (path: string): Promise<Key[]> => {
    const { status, body } = await admin(service, 'GET', path);
    expect([path, status]).toStrictEqual([path, 200]);
    return body.data.api_keys as Key[];
  };
  const issue = async (path: string, label: string): Promise<{ key_id: string; api_key: string }> =>
    (await admin(service, 'POST', path, { label })).body.data as { key_id: string; api_key: string };

  it('show a partner’s keys, newest first, with the hour of their last use and never the key', async () => {
    const path = `/partners/${partner.partner_id}/api-keys`;
    const { key_id, api_key } = await issue(path, 'second');
    const before = Date.now();
    expect(await keysAt(path)).toMatchObject([
      { key_id, label: 'second', partner_id: partner.partner_id, last_used_at: null, deactivated_at: null },
      { label: null },
    ]);
    expect((await partnerWith(service, partner.partner_id, api_key).call('GET', '/me')).status).toBe(200);
    const used = await until(async () => (await keysAt(path)).find((key) => key.key_id === key_id)?.last_used_at ?? undefined);
    expect(Date.parse(used) % HOUR_MS).toBe(0);
    expect(Date.parse(used)).toBeGreaterThan(before - HOUR_MS);
    expect(Date.parse(used)).toBeLessThanOrEqual(Date.now());
    expect(JSON.stringify(await keysAt(path))).not.toContain(api_key);
    await admin(service, 'DELETE', `/api-keys/${key_id}`);
    expect((await keysAt(path))[0]?.deactivated_at).toMatch(/^\d{4}-/);
  });

  it('show the keys that are linked to no partner', async () => {
    const { key_id } = await issue('/api-keys', 'unlinked');
    const unlinked = await keysAt('/api-keys?linked=false');
    expect(unlinked[0]).toMatchObject({ key_id, partner_id: null, label: 'unlinked' });
    expect(unlinked.every(({ partner_id }) => partner_id === null)).toBe(true);
    await admin(service, 'PUT', `/api-keys/${key_id}/partner`, { partner_id: partner.partner_id });
    expect((await keysAt('/api-keys?linked=true'))[0]).toMatchObject({ key_id, partner_id: partner.partner_id });
  });

  it('come in pages', async () => {
    const { partner_id } = await makePartner(service);
    const path = `/partners/${partner_id}/api-keys`;
    for (const label of ['a', 'b']) await issue(path, label);
    const first = (await admin(service, 'GET', `${path}?limit=2`)).body.data as { api_keys: Key[]; next_cursor: string };
    const second = (await admin(service, 'GET', `${path}?limit=2&cursor=${first.next_cursor}`)).body.data as { api_keys: Key[] };
    expect([...first.api_keys, ...second.api_keys].map(({ label }) => label)).toStrictEqual(['b', 'a', null]);
  });

  it('refuse an unknown partner, another value of linked, and a wrong cursor', async () => {
    expect((await admin(service, 'GET', '/partners/nobody/api-keys')).body).toMatchObject({ code: 'partner_not_found' });
    for (const query of ['linked=maybe', 'limit=0', 'cursor=x']) {
      const { status, body } = await admin(service, 'GET', `/api-keys?${query}`);
      expect([query, status, Object.keys((body.data as { errors: object }).errors)]).toStrictEqual([query, 422, [query.split('=')[0]]]);
    }
  });
});
