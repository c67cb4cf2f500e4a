import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { keyEndTable } from '../../projections/api-key/api-key.reader.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { RowMacs } from '../../src/platform/projecting/row-macs.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Key {
  readonly key_id: string;
  readonly label: string | null;
  readonly prefix: string;
  readonly last_four: string | null;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly current: boolean;
}

interface Rotated {
  readonly key_id: string;
  readonly api_key: string;
  readonly current_expires_at: string;
}

const HOUR_MS = 3_600_000;

describe('a partner’s own keys', () => {
  let service: TestService;
  let db: pg.Client;

  beforeAll(async () => {
    service = await startApplication();
    db = new pg.Client(service.stores.DATABASE_URL);
    await db.connect();
  });
  afterAll(async () => {
    await db.end();
    await service.stop();
  });

  const keysOf = async (partner: TestPartner): Promise<Key[]> => (await partner.call('GET', '/keys')).body.data.keys as Key[];
  const rotate = async (partner: TestPartner, body: object = {}, idempotencyKey?: string): Promise<ApiResponse> =>
    await partner.call('POST', '/keys/rotate', body, idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey });
  const rotatedIn = ({ status, body }: ApiResponse): Rotated => {
    expect([status, body]).toMatchObject([201, { success: true, message: 'Store the new key now: it will not be shown again.' }]);
    return body.data as unknown as Rotated;
  };
  const withKey = ({ partner_id }: TestPartner, { api_key }: Rotated): TestPartner => partnerWith(service, partner_id, api_key);
  const statusOf = async (partner: TestPartner): Promise<number> => (await partner.call('GET', '/me')).status;
  const codeOf = ({ status, body }: ApiResponse): unknown[] => [status, (body as { code?: string }).code];
  /** Replaces the end of a key, and clears the caches of keys, which a change of this table in PostgreSQL alone does not. */
  const endedAt = async (key: string, expires: number, set: number): Promise<void> => {
    const macs = new RowMacs(MasterKeys.parse(service.stores.MASTER_KEY ?? ''));
    const ended = { key_id: key, expires_at: new Date(expires).toISOString(), set_at: new Date(set).toISOString() };
    for (const { expires_at, set_at, mac } of macs.authenticate(keyEndTable, [ended]))
      await db.query('update ops.api_key_end set expires_at = $2, set_at = $3, mac = $4 where key_id = $1', [key, expires_at, set_at, mac]);
    const { key_id } = (await admin(service, 'POST', '/api-keys', {})).body.data as { key_id: string };
    await admin(service, 'DELETE', `/api-keys/${key_id}`);
  };
  const endedBefore = async (key: string, minutes: number): Promise<void> => {
    const at = Date.now() - minutes * 60_000;
    await endedAt(key, at, at);
  };

  it('are listed while they work, newest first, without the keys themselves', async () => {
    const partner = await makePartner(service);
    const issued = async (label: string): Promise<{ key_id: string; api_key: string }> =>
      (await admin(service, 'POST', `/partners/${partner.partner_id}/api-keys`, { label })).body.data as {
        key_id: string;
        api_key: string;
      };
    const [second, third] = [await issued('second'), await issued('third')];
    await admin(service, 'DELETE', `/api-keys/${third.key_id}`);
    const listed = await until(async () => {
      const keys = await keysOf(partner);
      return keys[1]?.last_used_at == null ? undefined : keys;
    });
    const shown = (key: string): object => ({ prefix: key.slice(0, 15), last_four: key.slice(-4) });
    expect(listed).toMatchObject([
      { key_id: second.key_id, label: 'second', ...shown(second.api_key), last_used_at: null, expires_at: null, current: false },
      { label: null, ...shown(partner.key), expires_at: null, current: true },
    ]);
    expect(listed).toHaveLength(2);
    expect(Date.parse(listed[1]?.last_used_at ?? '') % HOUR_MS).toBe(0);
  });

  it('are shown with the prefix that they have, if a key was linked to the partner after it was issued', async () => {
    const partner = await makePartner(service);
    const { key_id, api_key } = (await admin(service, 'POST', '/api-keys', {})).body.data as { key_id: string; api_key: string };
    await admin(service, 'PUT', `/api-keys/${key_id}/partner`, { partner_id: partner.partner_id });
    expect((await keysOf(partner)).find((key) => key.key_id === key_id)).toMatchObject({ prefix: api_key.slice(0, 15) });
  });

  it('are rotated: the new key works at once, and the calling one for a day', async () => {
    const partner = await makePartner(service);
    const before = Date.now();
    const rotated = rotatedIn(await rotate(partner, { label: 'new' }));
    const ends = Date.parse(rotated.current_expires_at);
    expect(ends).toBeGreaterThanOrEqual(before + 24 * HOUR_MS);
    expect(ends).toBeLessThanOrEqual(Date.now() + 24 * HOUR_MS);
    const renewed = withKey(partner, rotated);
    expect([await statusOf(renewed), await statusOf(partner)]).toStrictEqual([200, 200]);
    const newKey = { key_id: rotated.key_id, label: 'new', last_four: rotated.api_key.slice(-4), expires_at: null };
    expect(await keysOf(renewed)).toMatchObject([
      { ...newKey, current: true },
      { expires_at: rotated.current_expires_at, current: false },
    ]);
    const { api_keys } = (await admin(service, 'GET', `/partners/${partner.partner_id}/api-keys`)).body.data as { api_keys: Key[] };
    expect(api_keys).toMatchObject([
      { key_id: rotated.key_id, last_four: newKey.last_four, expires_at: null },
      { last_four: partner.key.slice(-4), expires_at: rotated.current_expires_at },
    ]);
  });

  it('end after the hours that the partner chose, and a later rotation does not put that off', async () => {
    const partner = await makePartner(service);
    const first = rotatedIn(await rotate(partner, { expire_current_in_hours: 2 }));
    const second = rotatedIn(await rotate(partner, { expire_current_in_hours: 168 }));
    expect(second.current_expires_at).toBe(first.current_expires_at);
  });

  it('end at once after 0 hours, for every call and in the list', async () => {
    const partner = await makePartner(service);
    expect(await statusOf(partner)).toBe(200);
    const renewed = withKey(partner, rotatedIn(await rotate(partner, { expire_current_in_hours: 0 })));
    const refused = await partner.call('GET', '/me');
    expect(codeOf(refused)).toStrictEqual([401, 'api_key_invalid']);
    expect(refused.headers.get('WWW-Authenticate')).toContain('has expired');
    expect(codeOf(await rotate(partner))).toStrictEqual([401, 'api_key_invalid']);
    expect(await keysOf(renewed)).toMatchObject([{ current: true }]);
    expect(await keysOf(renewed)).toHaveLength(1);
  });

  it('end while their holder is cached', async () => {
    const partner = await makePartner(service);
    const [{ key_id }] = (await keysOf(partner)) as [Key];
    rotatedIn(await rotate(partner, { expire_current_in_hours: 1 }));
    await endedAt(key_id, Date.now() + 1_000, Date.now());
    await until(async () => (await statusOf(partner)) === 401);
  });

  it('give a lost response again, byte for byte, to the key that has ended meanwhile', async () => {
    const partner = await makePartner(service);
    const body = { expire_current_in_hours: 0, label: 'again' };
    const first = await rotate(partner, body, 'lost');
    const again = await rotate(partner, body, 'lost');
    expect([again.status, again.headers.get('Idempotent-Replayed'), again.body]).toStrictEqual([201, 'true', first.body]);
    expect(await statusOf(withKey(partner, rotatedIn(again)))).toBe(200);
  });

  it('give it to no other request of the ended key', async () => {
    const partner = await makePartner(service);
    const other = await makePartner(service);
    const invalid = [401, 'api_key_invalid'];
    const rotated = rotatedIn(await rotate(partner, { expire_current_in_hours: 0 }, 'other'));
    expect(codeOf(await rotate(partner, { expire_current_in_hours: 0 }))).toStrictEqual(invalid);
    expect(codeOf(await rotate(partner, { expire_current_in_hours: 0 }, 'another'))).toStrictEqual(invalid);
    expect(codeOf(await rotate(partner, { expire_current_in_hours: 1 }, 'other'))).toStrictEqual(invalid);
    expect(codeOf(await partner.call('POST', '/webhooks', { url: 'https://example.com/' }, { 'Idempotency-Key': 'other' }))).toStrictEqual(
      invalid,
    );
    expect(codeOf(await partner.call('GET', '/keys', undefined, { 'Idempotency-Key': 'other' }))).toStrictEqual(invalid);
    rotatedIn(await rotate(other, { expire_current_in_hours: 0 }, 'theirs'));
    expect(codeOf(await rotate(partner, { expire_current_in_hours: 0 }, 'theirs'))).toStrictEqual(invalid);
    await rotate(withKey(partner, rotated), { expire_current_in_hours: 0 }, 'of the new key');
    expect(codeOf(await rotate(partner, { expire_current_in_hours: 0 }, 'of the new key'))).toStrictEqual(invalid);
  });

  it('give it for ten minutes, and never to a deactivated key', async () => {
    const partner = await makePartner(service);
    const [{ key_id }] = (await keysOf(partner)) as [Key];
    const body = { expire_current_in_hours: 0 };
    rotatedIn(await rotate(partner, body, 'timed'));
    await endedBefore(key_id, 9);
    expect((await rotate(partner, body, 'timed')).status).toBe(201);
    await endedBefore(key_id, 11);
    expect(codeOf(await rotate(partner, body, 'timed'))).toStrictEqual([401, 'api_key_invalid']);
    await endedBefore(key_id, 1);
    expect((await rotate(partner, body, 'timed')).status).toBe(201);
    await admin(service, 'DELETE', `/api-keys/${key_id}`);
    expect(codeOf(await rotate(partner, body, 'timed'))).toStrictEqual([401, 'api_key_invalid']);
  });

  it('show the same new key if the service died before the response was stored', async () => {
    const partner = await makePartner(service);
    const body = { expire_current_in_hours: 0 };
    const first = rotatedIn(await rotate(partner, body, 'died'));
    await db.query('update ops.stored_response set response = null, leased_until = now() where partner_id = $1', [partner.partner_id]);
    const again = await rotate(partner, body, 'died');
    expect(again.headers.get('Idempotent-Replayed')).toBeNull();
    expect(rotatedIn(again)).toStrictEqual(first);
    expect(await keysOf(withKey(partner, first))).toHaveLength(1);
  });

  it('are in no table of the database', async () => {
    const partner = await makePartner(service);
    const { api_key } = rotatedIn(await rotate(partner, {}, 'hidden'));
    const { rows } = await db.query<{ text: string }>(
      'select t::text as text from ops.stored_response t union all select s::text from key_store.secret s union all select k::text from read.api_key k',
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { text } of rows) {
      expect(text).not.toContain(api_key);
      expect(text).not.toContain(Buffer.from(api_key).toString('hex'));
    }
  });

  it('are at most two unexpired ones that come from rotation', async () => {
    const partner = await makePartner(service);
    for (let rotation = 0; rotation < 2; rotation += 1) rotatedIn(await rotate(partner));
    const refused = await rotate(partner, {}, 'third');
    expect(codeOf(refused)).toStrictEqual([409, 'conflict']);
    expect(await keysOf(partner)).toHaveLength(3);
    const [newest] = await keysOf(partner);
    await admin(service, 'DELETE', `/api-keys/${newest?.key_id ?? ''}`);
    expect((await rotate(partner, {}, 'third')).status).toBe(201);
  });

  it('may be rotated at once any number of times', async () => {
    let partner = await makePartner(service);
    for (let rotation = 0; rotation < 4; rotation += 1) {
      partner = withKey(partner, rotatedIn(await rotate(partner, { expire_current_in_hours: 0 })));
      expect(await statusOf(partner)).toBe(200);
    }
    expect(await keysOf(partner)).toHaveLength(1);
  });

  it('are not more than two after concurrent rotations', async () => {
    const partner = await makePartner(service);
    const responses = await Promise.all(Array.from({ length: 5 }, () => rotate(partner)));
    expect(responses.map(({ status }) => status).toSorted()).toStrictEqual([201, 201, 409, 409, 409]);
  });

  it.each([-1, 169, 1.5, '24'])('are not rotated with the hours %j', async (expire_current_in_hours) => {
    const { status, body } = await rotate(await makePartner(service), { expire_current_in_hours });
    expect([status, Object.keys(body.data.errors as object)]).toStrictEqual([422, ['expire_current_in_hours']]);
  });

  it('are for active partners', async () => {
    const pending = await makePartner(service, { active: false });
    for (const response of [await pending.call('GET', '/keys'), await rotate(pending)])
      expect(codeOf(response)).toStrictEqual([403, 'account_not_active']);
  });
});
