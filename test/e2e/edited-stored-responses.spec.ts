import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, balanceOf, call, makePartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const UNAVAILABLE = { status: 503, body: { code: 'unavailable' } };
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

describe('a stored response, edited with the database’s password', () => {
  let service: TestService;
  let pool: Pool;

  beforeAll(async () => {
    service = await startApplication({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true' }, { repeats: false });
    pool = testPool(service.stores.DATABASE_URL ?? '', 2);
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });

  const sql = async (text: string, values: readonly unknown[] = []): Promise<void> => {
    expect((await pool.query(text, [...values])).rowCount).toBeGreaterThan(0);
  };
  const farmer = async (record: object = {}): Promise<string> => {
    const rupaId = `rp-${randomUUID()}`;
    await admin(service, 'PUT', `/farmers/${rupaId}`, record);
    return rupaId;
  };
  /** The rows that earlier tests edited are named, too. */
  const named = async (partnerId: string): Promise<void> => {
    const rows = "select from ops.forged_row where table_name = 'stored_response' and row_key like $1";
    await until(async () => ((await pool.query(rows, [`%${partnerId}%`])).rowCount ?? 0) > 0);
    await until(async () => {
      const { reasons = [] } = (await call(service, 'GET', '/health/ready')).body.data as { reasons?: string[] };
      return reasons.some((reason) => reason.includes(' of stored_response cannot be trusted'));
    });
  };

  it('answers no key again with another response, and charges nothing for one that cannot be read', async () => {
    const [partner, rupaId] = [await makePartner(service, { mode: 'sandbox' }), await farmer({ mode: 'sandbox' })];
    const keyed = (key: string): Promise<ApiResponse> =>
      partner.call('POST', '/lookup', { rupa_id: rupaId, sections: ['identity'] }, { 'Idempotency-Key': key });
    const { partner_id } = partner;
    for (const key of ['one', 'other']) expect((await keyed(key)).status).toBe(200);
    const before = await balanceOf(service, partner);
    await sql(
      `update ops.stored_response s set response = o.response, lookup_id = o.lookup_id from ops.stored_response o
       where s.partner_id = $1 and o.partner_id = $1 and s.key_hash = $2 and o.key_hash = $3`,
      [partner_id, hashOf('one'), hashOf('other')],
    );
    expect(await keyed('one')).toMatchObject(UNAVAILABLE);
    expect((await keyed('other')).headers.get('Idempotent-Replayed')).toBe('true');
    expect(await balanceOf(service, partner)).toBe(before);
    await named(partner.partner_id);
  });

  it('answers no other request with the response of a key', async () => {
    const [partner, one, other] = [await makePartner(service), await farmer(), await farmer()];
    const requests: readonly (readonly [path: string, first: object, second: object])[] = [
      ['/lookup', { rupa_id: one, sections: ['identity'] }, { rupa_id: other, sections: ['identity'] }],
      ['/lookups', { rupa_ids: [one], sections: ['identity'] }, { rupa_ids: [other], sections: ['identity'] }],
      ['/webhooks', { url: 'https://127.0.0.1:8443/one' }, { url: 'https://127.0.0.1:8443/other' }],
    ];
    for (const [path, first, second] of requests) {
      const keyed = (key: string, body: object): Promise<ApiResponse> => partner.call('POST', path, body, { 'Idempotency-Key': key });
      for (const [key, body] of [[`${path}-1`, first] as const, [`${path}-2`, second] as const])
        expect((await keyed(key, body)).status).toBeLessThan(300);
      const hashes = [`${path}-1`, `${path}-2`].map(hashOf);
      await sql(
        `update ops.stored_response s set request_hash = o.request_hash from ops.stored_response o
         where s.partner_id = $1 and o.partner_id = $1 and s.key_hash = $2 and o.key_hash = $3`,
        [partner.partner_id, ...hashes],
      );
      expect(await keyed(`${path}-1`, second)).toMatchObject(UNAVAILABLE);
      expect((await keyed(`${path}-2`, second)).headers.get('Idempotent-Replayed')).toBe('true');
    }
    await named(partner.partner_id);
  });

  it('refunds no lookup whose response was sent, whatever the row of a key says', async () => {
    const [partner, rupaId] = [await makePartner(service), await farmer()];
    const { partner_id } = partner;
    const keyed = (key: string): Promise<ApiResponse> =>
      partner.call('POST', '/lookup', { rupa_id: rupaId, sections: ['identity'] }, { 'Idempotency-Key': key });
    const before = await balanceOf(service, partner);
    for (const key of ['own', 'planted']) expect((await keyed(key)).status).toBe(200);
    const charged = (before - (await balanceOf(service, partner))) / 2;
    // The charges are not settled yet. One key seems to be abandoned, and a new one to have abandoned the charge of the other.
    await sql(
      `insert into ops.stored_response (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until)
       select partner_id, $3, request_hash, lookup_id, rupa_id, holder, now() from ops.stored_response where partner_id = $1 and key_hash = $2`,
      [partner_id, hashOf('planted'), hashOf('new')],
    );
    await sql('update ops.stored_response set response = null, leased_until = now() where partner_id = $1 and key_hash = $2', [
      partner_id,
      hashOf('own'),
    ]);
    await until(async () => (await keyed('own')).status !== 409);
    expect(await keyed('own')).toMatchObject(UNAVAILABLE);
    await until(async () => (await keyed('new')).status === 200);
    expect(await balanceOf(service, partner)).toBe(before - 3 * charged);
    await named(partner.partner_id);
  });

  it.each([
    ['report', '/report', 'contribution_id'],
    ['list of reports', '/reports', 'results'],
    ['registration of an endpoint', '/webhooks', 'id'],
  ])('records a %s although the row of its key names the operation of another key', async (_request, path, created) => {
    const [partner, rupaId] = [await makePartner(service), await farmer()];
    const report = { rupa_id: rupaId, event: 'loan_disbursed', amount: 10, occurred_at: '2026-01-01T00:00:00Z' };
    const bodies: Readonly<Record<string, object>> = { '/report': report, '/reports': { reports: [report] } };
    const keyed = (key: string): Promise<ApiResponse> =>
      partner.call('POST', path, bodies[path] ?? { url: 'https://127.0.0.1:8443/planted' }, { 'Idempotency-Key': key });
    const genuine = await keyed('genuine');
    expect(genuine.status).toBeLessThan(300);
    await sql(
      `insert into ops.stored_response (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until)
       select partner_id, $3, request_hash, lookup_id, rupa_id, holder, now() from ops.stored_response where partner_id = $1 and key_hash = $2`,
      [partner.partner_id, hashOf('genuine'), hashOf('planted')],
    );
    const planted = await keyed('planted');
    expect(planted.status).toBe(genuine.status);
    expect(planted.body.data[created]).not.toStrictEqual(genuine.body.data[created]);
    // The response is stored under the request's own id.
    expect((await keyed('planted')).body).toStrictEqual(planted.body);
    await named(partner.partner_id);
  });

  it('charges no key again whose stored response was deleted', async () => {
    const [partner, rupaId] = [await makePartner(service), await farmer()];
    const { partner_id } = partner;
    const keyed = (key: string): Promise<ApiResponse> =>
      partner.call('POST', '/lookup', { rupa_id: rupaId, sections: ['identity'] }, { 'Idempotency-Key': key });
    expect((await keyed('deleted')).status).toBe(200);
    const charged = await balanceOf(service, partner);
    await sql('delete from ops.stored_response where partner_id = $1', [partner_id]);
    // Until the charge is settled, the lookup with the key counts as running.
    await until(async () => (await keyed('deleted')).status !== 409);
    expect(await keyed('deleted')).toMatchObject(UNAVAILABLE);
    expect(await balanceOf(service, partner)).toBe(charged);
    await named(partner.partner_id);
    expect((await keyed('new')).status).toBe(200);
  });
});
