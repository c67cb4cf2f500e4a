import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, call, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const UNAVAILABLE = { status: 503, body: { code: 'unavailable' } };
const TABLES = ['deactivated_key', 'api_key_end'] as const;
/** Another value for each column of a row by which a key is refused. */
const EDITS = [
  ['deactivated_key', 'deactivated_at', "deactivated_at - interval '1 day'"],
  ['deactivated_key', 'mac', "''"],
  ['api_key_end', 'expires_at', "expires_at + interval '1 day'"],
  ['api_key_end', 'set_at', "set_at + interval '1 hour'"],
  ['api_key_end', 'mac', "''"],
] as const;

describe('a row by which a key is refused, written with the database’s password', () => {
  let service: TestService;
  let pool: Pool;
  let partner: TestPartner;
  let keyId: string;

  beforeAll(async () => {
    service = await startApplication({}, { repeats: false });
    pool = testPool(service.stores.DATABASE_URL ?? '', 2);
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });
  beforeEach(async () => {
    partner = await makePartner(service);
    keyId = await keyIdOf(partner);
  });
  afterEach(async () => {
    // The sweep locks ops.forged_row first, too. Another order could be a deadlock.
    await pool.query('truncate ops.forged_row, ops.deactivated_key, ops.api_key_end');
  });

  const sql = async (text: string, values: readonly unknown[] = []): Promise<void> => {
    expect((await pool.query(text, [...values])).rowCount).toBeGreaterThan(0);
  };
  const keyIdOf = async ({ partner_id }: TestPartner): Promise<string> =>
    (await pool.query<{ key_id: string }>('select key_id from read.api_key where partner_id = $1', [partner_id])).rows[0]?.key_id ?? '';
  const keyOf = async (label: string): Promise<{ readonly key_id: string; readonly api_key: string }> =>
    (await admin(service, 'POST', `/partners/${partner.partner_id}/api-keys`, { label })).body.data as { key_id: string; api_key: string };
  /** Calls with a key that no cache holds: each change of a key makes every instance read keys again. */
  const me = async (as = partner): Promise<ApiResponse> => {
    await admin(service, 'POST', '/api-keys', {});
    return await as.call('GET', '/me');
  };
  const rotate = async (hours: number): Promise<TestPartner> => {
    const { status, body } = await partner.call('POST', '/keys/rotate', { expire_current_in_hours: hours });
    expect(status).toBe(201);
    return partnerWith(service, partner.partner_id, (body.data as { api_key: string }).api_key);
  };
  const add = async (table: (typeof TABLES)[number], key = keyId): Promise<void> => {
    if (table === 'deactivated_key') await sql('insert into ops.deactivated_key (key_id) values ($1)', [key]);
    else await sql("insert into ops.api_key_end (key_id, expires_at, set_at) values ($1, now() - interval '1 minute', now())", [key]);
  };
  const named = async (table: string): Promise<void> => {
    await until(async () => {
      const { reasons = [] } = (await call(service, 'GET', '/health/ready')).body.data as { reasons?: string[] };
      return reasons.some((reason) => reason.includes(` of ${table} cannot be trusted`));
    });
  };
  const shows = async (condition: string, key = keyId): Promise<void> => {
    await until(async () => (await pool.query(`select from read.api_key where key_id = $1 and ${condition}`, [key])).rowCount === 1);
  };

  it.each(TABLES)('ends no key if it was added to %s, is named, and is gone once it is deleted', async (table) => {
    expect((await me()).status).toBe(200);
    await add(table);
    expect(await me()).toMatchObject(UNAVAILABLE);
    await named(table);
    const { code, out } = await rupa(service, ['doctor']);
    expect([code, out]).toStrictEqual([1, expect.stringContaining(`the row ["${keyId}"] of ${table} cannot be trusted`)]);
    await sql(`delete from ops.${table} where key_id = $1`, [keyId]);
    expect((await me()).status).toBe(200);
  });

  it.each(TABLES)('hides no key from a list if it was added to %s', async (table) => {
    const { key_id } = await keyOf('other');
    await add(table, key_id);
    expect(await partner.call('GET', '/keys')).toMatchObject(UNAVAILABLE);
    expect(await partner.call('POST', '/keys/rotate', {})).toMatchObject(UNAVAILABLE);
    expect(await admin(service, 'GET', `/partners/${partner.partner_id}/api-keys`)).toMatchObject(UNAVAILABLE);
    expect((await me()).status).toBe(200);
  });

  it.each(EDITS)('of %s is not used after an edit of %s: its key gets a 503', async (table, column, value) => {
    if (table === 'deactivated_key') await admin(service, 'DELETE', `/api-keys/${keyId}`);
    else await rotate(2);
    await sql(`update ops.${table} set ${column} = ${value} where key_id = $1`, [keyId]);
    expect(await me()).toMatchObject(UNAVAILABLE);
    await named(table);
  });

  it('ends no other key, moved or copied with its MAC', async () => {
    const other = await keyOf('other');
    await admin(service, 'DELETE', `/api-keys/${other.key_id}`);
    await sql(
      'insert into ops.deactivated_key (key_id, deactivated_at, mac) select $2, deactivated_at, mac from ops.deactivated_key where key_id = $1',
      [other.key_id, keyId],
    );
    expect(await me()).toMatchObject(UNAVAILABLE);
    await sql('delete from ops.deactivated_key where key_id = $1', [keyId]);
    await sql('update ops.deactivated_key set key_id = $2 where key_id = $1', [other.key_id, keyId]);
    expect(await me()).toMatchObject(UNAVAILABLE);
    // The read model has the deactivation of the key whose row was moved away.
    await shows('deactivated', other.key_id);
    await pool.query('truncate ops.deactivated_key');
    expect((await me(partnerWith(service, partner.partner_id, other.api_key))).status).toBe(401);
    expect((await me()).status).toBe(200);
  });

  it('puts off no end, put back as it was before an earlier one', async () => {
    await rotate(48);
    const { rows } = await pool.query<{ row: object }>('select to_jsonb(e) as row from ops.api_key_end e where key_id = $1', [keyId]);
    const renewed = await rotate(0);
    await shows('expires_at <= now()');
    await sql('delete from ops.api_key_end where key_id = $1', [keyId]);
    await sql('insert into ops.api_key_end select * from jsonb_populate_record(null::ops.api_key_end, $1)', [JSON.stringify(rows[0]?.row)]);
    expect((await me()).status).toBe(401);
    expect((await me(renewed)).status).toBe(200);
  });

  it('is not missed once the read model shows the end: a deleted one lets no key in', async () => {
    await admin(service, 'DELETE', `/api-keys/${keyId}`);
    expect((await me()).status).toBe(401);
    await shows('deactivated');
    await sql('delete from ops.deactivated_key where key_id = $1', [keyId]);
    expect((await me()).status).toBe(401);
  });

  it('is written again by another deactivation', async () => {
    await admin(service, 'DELETE', `/api-keys/${keyId}`);
    await sql("update ops.deactivated_key set deactivated_at = deactivated_at - interval '1 day' where key_id = $1", [keyId]);
    expect(await me()).toMatchObject(UNAVAILABLE);
    expect((await admin(service, 'DELETE', `/api-keys/${keyId}`)).status).toBeLessThan(300);
    expect((await me()).status).toBe(401);
  });
});
