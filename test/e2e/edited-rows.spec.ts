import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { AUTHENTICATED } from '../../projections/index.js';
import { generateApiKey, hashApiKey } from '../../src/contexts/partners/keys/api-key-material.js';
import { KEY_DESTROYED_CHANNEL } from '../../src/platform/key-store/data-keys.js';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, balanceOf, call, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const UNAVAILABLE = { status: 503, body: { code: 'unavailable' } };

describe('a row that decides, edited with the database’s password', () => {
  let service: TestService;
  let pool: Pool;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startApplication({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_TIMEOUT_MS: '60000' }, { repeats: false });
    pool = testPool(service.stores.DATABASE_URL ?? '', 2);
    // A row of each table.
    const partner = await makePartner(service, { mode: 'sandbox' });
    const rupaId = await farmer({ mode: 'sandbox' });
    expect((await partner.lookup(rupaId)).status).toBe(200);
    await reported(partner, rupaId, 1_000);
    await hooked(partner, '/any');
    const { fees } = (await admin(service, 'GET', '/price-book')).body.data as { fees: Record<string, number> };
    await admin(service, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.identity': 55 } });
    await inRoster(rupaId);
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
    await receiver.close();
  });

  const sql = async (text: string, values: readonly unknown[] = []): Promise<void> => {
    expect((await pool.query(text, [...values])).rowCount).toBeGreaterThan(0);
  };
  /** Every change of a key makes each instance read keys and partners again. */
  const forgetCaches = (): Promise<ApiResponse> => admin(service, 'POST', '/api-keys', {});
  const farmer = async (record: object = {}): Promise<string> => {
    const rupaId = `rp-${randomUUID()}`;
    await admin(service, 'PUT', `/farmers/${rupaId}`, record);
    return rupaId;
  };
  const me = async (partner: TestPartner): Promise<ApiResponse> => {
    await forgetCaches();
    return await partner.call('GET', '/me');
  };
  /** Keeps the row, lets `change` take its course, and puts the kept row back, MAC included. */
  const putBack = async (table: string, key: string, id: string, change: () => Promise<unknown>): Promise<void> => {
    const { rows } = await pool.query<{ row: object }>(`select to_jsonb(t) as row from read.${table} t where ${key} = $1`, [id]);
    await change();
    await sql(`delete from read.${table} where ${key} = $1`, [id]);
    await sql(`insert into read.${table} select * from jsonb_populate_record(null::read.${table}, $1)`, [JSON.stringify(rows[0]?.row)]);
  };
  const keyIdOf = async ({ partner_id }: TestPartner): Promise<string> =>
    (await pool.query<{ key_id: string }>('select key_id from read.api_key where partner_id = $1', [partner_id])).rows[0]?.key_id ?? '';
  const hooked = async (partner: TestPartner, path: string): Promise<number> =>
    (await partner.call('POST', '/webhooks', { url: `${receiver.url}${path}` })).body.data.id as number;
  /** Reports a loan, and waits until lookups show it. */
  const reported = async (partner: TestPartner, rupaId: string, amount: number): Promise<void> => {
    const report = { rupa_id: rupaId, event: 'loan_disbursed', amount, occurred_at: '2026-01-01T00:00:00Z' };
    expect((await partner.call('POST', '/report', report)).status).toBe(200);
    await shows('farmer_reports', 'subject', rupaId, `loans::text like '%"amount_minor":${amount * 100},%'`);
  };
  const inRoster = async (rupaId: string): Promise<void> => {
    await until(async () => (await pool.query('select from read.consent_roster where rupa_id = $1', [rupaId])).rowCount === 1);
  };
  const shows = async (table: string, key: string, id: string, condition: string): Promise<void> => {
    await until(async () => (await pool.query(`select from read.${table} where ${key} = $1 and ${condition}`, [id])).rowCount === 1);
  };
  const receivedAt = (path: string): number => receiver.received.filter((each) => each.path.endsWith(path)).length;
  const named = async (table: string): Promise<void> => {
    await until(async () => {
      const { reasons = [] } = (await call(service, 'GET', '/health/ready')).body.data as { reasons?: string[] };
      return reasons.some((reason) => reason.includes(` of ${table} cannot be trusted`));
    });
  };

  it('opens no wallet: an added key is refused', async () => {
    const victim = await makePartner(service);
    const key = generateApiKey(victim.partner_id);
    await sql(
      `insert into read.api_key (key_id, key_hash, partner_id, deactivated, created_at, event_revision, mac)
       select 'stolen', $1, $2, false, created_at, event_revision, mac from read.api_key where partner_id = $2`,
      [hashApiKey(key), victim.partner_id],
    );
    expect(await partnerWith(service, victim.partner_id, key).call('GET', '/me')).toMatchObject(UNAVAILABLE);
    await sql("delete from read.api_key where key_id = 'stolen'");
    await until(async () => (await me(victim)).status === 200);
  });

  it('gives a key to no other partner', async () => {
    const [thief, victim] = [await makePartner(service), await makePartner(service)];
    await sql('update read.api_key set partner_id = $2 where partner_id = $1', [thief.partner_id, victim.partner_id]);
    expect(await me(thief)).toMatchObject(UNAVAILABLE);
    await named('api_key');
  });

  it('brings no deactivated key back, edited or put back as it was', async () => {
    for (const edit of ['edited', 'put back']) {
      const partner = await makePartner(service);
      const keyId = await keyIdOf(partner);
      // The key is refused at once, and the row may show it later.
      const deactivate = async (): Promise<void> => {
        await admin(service, 'DELETE', `/api-keys/${keyId}`);
        await shows('api_key', 'key_id', keyId, 'deactivated');
      };
      if (edit === 'put back') await putBack('api_key', 'key_id', keyId, deactivate);
      else {
        await deactivate();
        await sql('update read.api_key set deactivated = false, deactivated_at = null where key_id = $1', [keyId]);
      }
      await pool.query('delete from ops.deactivated_key where key_id = $1', [keyId]);
      expect(await me(partner)).toMatchObject(UNAVAILABLE);
    }
  });

  it('gives a partner nothing: not as edited, not as it was before a change', async () => {
    const partner = await makePartner(service);
    const { partner_id } = partner;
    await putBack('partner', 'partner_id', partner_id, async () => {
      await admin(service, 'POST', `/partners/${partner_id}/deactivate`);
      await shows('partner', 'partner_id', partner_id, "status = 'pending'");
    });
    expect(await me(partner)).toMatchObject(UNAVAILABLE);
    const other = await makePartner(service, { account_type: 'agtech' });
    await sql(`update read.partner set account_type = 'bank' where partner_id = $1`, [other.partner_id]);
    expect(await me(other)).toMatchObject(UNAVAILABLE);
    expect(await admin(service, 'POST', `/partners/${other.partner_id}/wallet/credits`, { amount: 1, reference: 'x' })).toMatchObject(
      UNAVAILABLE,
    );
    await named('partner');
  });

  it.each([
    ['partner', 'ip_allow_list', '["203.0.113.7"]'],
    ['customer', 'legal', '{"name": "Nobody Ltd"}'],
  ])('is shown to no administrator as a setting of a partner: %s', async (table, column, value) => {
    const { partner_id } = await makePartner(service);
    const shown = (): Promise<ApiResponse> => admin(service, 'GET', `/partners/${partner_id}`);
    expect((await shown()).status).toBe(200);
    await sql(`update read.${table} set ${column} = $2 where partner_id = $1`, [partner_id, value]);
    expect(await shown()).toMatchObject({ ...UNAVAILABLE, body: { ...UNAVAILABLE.body, data: { read_model: table } } });
    await named(table);
  });

  it('changes no price and shows nothing else: a lookup that reads it is refused and not charged', async () => {
    const partner = await makePartner(service);
    const [edited, swapped, other, consented] = [
      await farmer({ identity: { first_name: 'Aisha' } }),
      await farmer({ identity: { first_name: 'Bola' } }),
      await farmer({ identity: { first_name: 'Chidi' } }),
      await farmer(),
    ];
    expect((await partner.lookup(consented)).status).toBe(200);
    await inRoster(consented);
    const before = await balanceOf(service, partner);
    await sql('update read.farmer_profile set has_bureau_report = not has_bureau_report where rupa_id = $1', [edited]);
    await sql(
      `update read.farmer_profile f set identity = o.identity, mac = o.mac, event_revision = o.event_revision
       from read.farmer_profile o where f.rupa_id = $1 and o.rupa_id = $2`,
      [swapped, other],
    );
    await sql('update read.consent_roster set granted_position = 0, granted_at = now() where partner_id = $1 and rupa_id = $2', [
      partner.partner_id,
      consented,
    ]);
    for (const rupaId of [edited, swapped, consented]) expect(await partner.lookup(rupaId)).toMatchObject(UNAVAILABLE);
    const report = { rupa_id: edited, event: 'loan_disbursed', amount: 1_000, occurred_at: '2026-01-01T00:00:00Z' };
    expect(await partner.call('POST', '/report', report)).toMatchObject(UNAVAILABLE);
    expect(await balanceOf(service, partner)).toBe(before);
    expect((await partner.lookup(other)).status).toBe(200);
    await named('farmer_profile');
    await named('consent_roster');
  });

  it('shows no edited report, and refuses a lookup once the edit has reached what it shows', async () => {
    const partner = await makePartner(service);
    const rupaId = await farmer();
    const outstanding = async (): Promise<unknown> =>
      (
        (await partner.lookup(rupaId, { sections: ['outstanding_loans'] })).body.data as {
          outstanding_loans: { total_outstanding: number };
        }
      ).outstanding_loans.total_outstanding;
    await reported(partner, rupaId, 1_000);
    expect(await outstanding()).toBe(1_000);
    await sql('update read.contribution set amount_minor = 1 where rupa_id = $1', [rupaId]);
    expect(await outstanding()).toBe(1_000);
    await named('contribution');
    await sql(`update read.farmer_reports set outstanding_kobo = '100' where subject = $1`, [rupaId]);
    expect(await partner.lookup(rupaId)).toMatchObject(UNAVAILABLE);
    expect((await fetch(`${service.url}/p/${rupaId}`)).status).toBe(503);
    await named('farmer_reports');
    // A new report reads those that were edited.
    await partner.call('POST', '/report', { rupa_id: rupaId, event: 'loan_repayment', amount: 1, occurred_at: '2026-01-02T00:00:00Z' });
    await shows('contribution', 'rupa_id', rupaId, "event = 'loan_repayment'");
    expect(await partner.lookup(rupaId)).toMatchObject(UNAVAILABLE);
    expect((await admin(service, 'POST', '/projections/farmer_reports/rebuild')).status).toBe(202);
    await until(async () => (await partner.lookup(rupaId)).status === 200);
    expect(await outstanding()).toBe(1_000);
  });

  it('sends no event to another address, and none to a partner without a consent', async () => {
    const [reporter, watcher, intruder] = [
      await makePartner(service, { mode: 'sandbox' }),
      await makePartner(service, { mode: 'sandbox' }),
      await makePartner(service, { mode: 'sandbox' }),
    ];
    const rupaId = await farmer({ mode: 'sandbox' });
    expect((await watcher.lookup(rupaId)).status).toBe(200);
    const [id] = [await hooked(watcher, '/genuine'), await hooked(intruder, '/intruder')];
    await inRoster(rupaId);
    await sql(
      `insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position, event_revision, mac)
       select $2, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position, event_revision, mac
       from read.consent_roster where rupa_id = $1`,
      [rupaId, intruder.partner_id],
    );
    await sql('update read.webhook_endpoint set url = $2 where endpoint_id = $1', [id, `${receiver.url}/stolen`]);
    const report = { rupa_id: rupaId, event: 'loan_disbursed', amount: 1_000, occurred_at: '2026-01-01T00:00:00Z' };
    expect((await reporter.call('POST', '/report', report)).status).toBe(200);
    for (const table of ['webhook_endpoint', 'consent_roster']) await named(table);
    // The sweep may name the rows before the event is in the list.
    const refused = await until(async () => [await intruder.call('GET', '/events')].find(({ status }) => status !== 200));
    expect(refused).toMatchObject(UNAVAILABLE);
    for (const table of ['webhook_endpoint', 'consent_roster'])
      expect((await admin(service, 'POST', `/projections/${table}/rebuild`)).status).toBe(202);
    await until(() => Promise.resolve(receivedAt('/genuine') > 0));
    expect([receivedAt('/stolen'), receivedAt('/intruder')]).toStrictEqual([0, 0]);
  });

  it('gives a farmer no other key: what needs it is refused until the key is back', async () => {
    const [one, other] = [await farmer(), await farmer()];
    const exchange = (): Promise<void> =>
      sql(
        `update key_store.data_key k set wrapped = o.wrapped, master_key_id = o.master_key_id
         from key_store.data_key o where (k.rupa_id, o.rupa_id) in (($1, $2), ($2, $1))`,
        [one, other],
      );
    const update = async (rupaId: string): Promise<number> => {
      // Every process drops the key from its memory.
      await pool.query('select pg_notify($1, $2)', [KEY_DESTROYED_CHANNEL, rupaId]);
      return (await admin(service, 'PUT', `/farmers/${rupaId}`, { identity: { first_name: 'Bola' } })).status;
    };
    await exchange();
    for (const rupaId of [one, other]) await until(async () => (await update(rupaId)) === 503);
    await exchange();
    for (const rupaId of [one, other]) await until(async () => (await update(rupaId)) === 200);
  });

  it('that destroyed a farmer’s key is named by the doctor, whatever time it says', async () => {
    for (const time of ["now() - interval '1 hour'", "now() + interval '1 hour'"]) {
      const rupaId = await farmer();
      const { rows } = await pool.query<{ wrapped: string }>('select wrapped from key_store.data_key where rupa_id = $1', [rupaId]);
      await sql(`update key_store.data_key set wrapped = null, destroyed_at = ${time} where rupa_id = $1`, [rupaId]);
      const { code, out } = await rupa(service, ['doctor']);
      expect([code, out]).toStrictEqual([1, expect.stringContaining(`the data key of ${rupaId} is destroyed`)]);
      await sql('update key_store.data_key set wrapped = $2, destroyed_at = null where rupa_id = $1', [rupaId, rows[0]?.wrapped]);
    }
  });

  it('erases no farmer: the key stays', async () => {
    const [partner, rupaId] = [await makePartner(service), await farmer()];
    await sql(
      "insert into read.erased_farmer (rupa_id, erased_at, position) select $1, now(), position from ops.checkpoint where projection = 'partner'",
      [rupaId],
    );
    await named('erased_farmer');
    expect((await partner.lookup(rupaId)).status).toBe(200);
    expect((await admin(service, 'PUT', `/farmers/${rupaId}`, { identity: { first_name: 'Bola' } })).status).toBe(200);
    await sql('delete from read.erased_farmer where rupa_id = $1', [rupaId]);
  });

  it('is named by the doctor, the console and the metrics’ source, and trusted again after a rebuild', async () => {
    const partner = await makePartner(service);
    const rupaId = await farmer();
    await sql('update read.farmer_profile set phone_verified = true where rupa_id = $1', [rupaId]);
    expect(await partner.lookup(rupaId)).toMatchObject(UNAVAILABLE);
    await until(async () => (await pool.query('select from ops.forged_row where row_key = $1', [JSON.stringify([rupaId])])).rowCount === 1);
    const { code, out } = await rupa(service, ['doctor']);
    expect([code, out]).toStrictEqual([1, expect.stringContaining(`the row ["${rupaId}"] of farmer_profile cannot be trusted`)]);
    const visitor = new ConsoleVisitor(service);
    await visitor.signIn(service.auditorToken);
    const overview = async (): Promise<string> => await (await visitor.get('/console')).text();
    await until(async () => /degraded: .*of farmer_profile cannot be trusted/.test(await overview()));
    await admin(service, 'POST', '/projections/farmer_profile/rebuild');
    await until(async () => (await partner.lookup(rupaId)).status === 200);
  });

  describe('in any table', () => {
    const edit = async (by: number): Promise<void> => {
      for (const table of AUTHENTICATED) await sql(`update read.${table} set event_revision = event_revision + $1`, [by]);
    };

    // The sweep pauses after each table, so the tests wait for one round of it, and not each for a round of its own.
    beforeAll(async () => {
      await pool.query('delete from ops.forged_row');
      await edit(1);
    });
    afterAll(() => edit(-1));

    it.each(AUTHENTICATED)('is found in %s without being read', named);
  });
});
