import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, call, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const UNAVAILABLE = { status: 503, body: { code: 'unavailable' } };

/** An edit of each column that decides what a delivery, or an event of the list, says and to whom. */
const EDITS: Readonly<Record<string, string>> = {
  event_id: 'gen_random_uuid()',
  type: "'farmer.credit_score_changed'",
  rupa_id: "'rp-other'",
  event: "'loan_repayment'",
  contribution_id: 'coalesce(contribution_id, 0) + 1',
  occurred_at: "coalesce(occurred_at, now()) - interval '1 day'",
  recorded_at: "recorded_at + interval '1 day'",
  sequence: 'sequence + 1000000',
  data: `'{"test":true}'`,
};

/** How somebody could make $1 a recipient of an erasure of which $2 is told. */
const RECIPIENTS: Readonly<Record<string, string>> = {
  added:
    'insert into ops.notification_recipient (partner_id, sequence) select $1, sequence from ops.notification_recipient where partner_id = $2',
  'copied with its MAC':
    'insert into ops.notification_recipient (partner_id, sequence, mac) select $1, sequence, mac from ops.notification_recipient where partner_id = $2',
  'moved to another partner': 'update ops.notification_recipient set partner_id = $1 where partner_id = $2',
  'moved to another event':
    'insert into ops.notification_recipient (partner_id, sequence, mac) select $1, r.sequence, o.mac from ops.notification_recipient r, ops.notification_recipient o where r.partner_id = $2 and o.partner_id = $1',
};

describe('a delivery or an event of the list, edited with the database’s password', () => {
  let service: TestService;
  let pool: Pool;
  let receiver: Receiver;
  let reporter: TestPartner;
  let partner: TestPartner;
  let endpoint: number;
  let rupaId: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startApplication({ WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_TIMEOUT_MS: '60000' }, { repeats: false });
    pool = testPool(service.stores.DATABASE_URL ?? '', 2);
    reporter = await makePartner(service, { mode: 'sandbox' });
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
    await receiver.close();
  });
  beforeEach(async () => {
    partner = await makePartner(service, { mode: 'sandbox' });
    rupaId = await farmerOf(partner);
    endpoint = await endpointOf(partner);
  });
  afterEach(async () => {
    // The sweep locks ops.forged_row first, too. Another order could be a deadlock.
    await pool.query('truncate ops.forged_row, ops.webhook_delivery, ops.notification, ops.notification_recipient');
  });

  const sql = async (text: string, values: readonly unknown[] = []): Promise<void> => {
    expect((await pool.query(text, [...values])).rowCount).toBeGreaterThan(0);
  };
  const farmerOf = async (holder: TestPartner): Promise<string> => {
    const id = `rp-${randomUUID()}`;
    await admin(service, 'PUT', `/farmers/${id}`, { mode: 'sandbox' });
    expect((await holder.lookup(id)).status).toBe(200);
    await until(async () => (await pool.query('select from read.consent_roster where rupa_id = $1', [id])).rowCount === 1);
    return id;
  };
  const endpointOf = async (owner: TestPartner): Promise<number> => {
    const { id } = (await owner.call('POST', '/webhooks', { url: `${receiver.url}/${owner.partner_id}` })).body.data as { id: number };
    await until(async () => (await pool.query('select from read.webhook_endpoint where endpoint_id = $1', [id])).rowCount === 1);
    return id;
  };
  const report = async (id: string): Promise<void> => {
    const loan = { rupa_id: id, event: 'loan_disbursed', amount: 1_000, occurred_at: '2026-01-01T00:00:00Z' };
    expect((await reporter.call('POST', '/report', loan)).status).toBe(200);
  };
  /** Makes a delivery of an event of the list that has been sent. Returns its id. */
  const delivered = async (to = endpoint, about = rupaId): Promise<number> => {
    const sent = async () =>
      await pool.query<{ delivery_id: number }>(
        "select delivery_id from ops.webhook_delivery where endpoint_id = $1 and rupa_id = $2 and status = 'delivered' order by delivery_id desc",
        [to, about],
      );
    const before = (await sent()).rowCount ?? 0;
    await report(about);
    await until(async () => (await sent()).rowCount === before + 1);
    return (await sent()).rows[0]?.delivery_id ?? 0;
  };
  /** Makes deliveries due again, as a resend would. */
  const DUE = "status = 'pending', attempt = 0, next_attempt_at = now()";
  /** The sender has found the row, and looks at it again later. */
  const parked = async (deliveryId: number): Promise<void> => {
    await until(
      async () =>
        (
          await pool.query("select from ops.webhook_delivery where delivery_id = $1 and next_attempt_at > now() + interval '1 minute'", [
            deliveryId,
          ])
        ).rowCount === 1,
    );
  };
  const named = async (table: string): Promise<void> => {
    await until(async () => {
      const { reasons = [] } = (await call(service, 'GET', '/health/ready')).body.data as { reasons?: string[] };
      return reasons.some((reason) => reason.includes(` of ${table} cannot be trusted`));
    });
  };
  const received = (): string[] => receiver.received.flatMap(({ path, body }) => (path.endsWith(partner.partner_id) ? [body] : []));

  it.each(Object.entries({ ...EDITS, partner_id: `'p-other'` }))(
    'is not sent after an edit of %s, while the endpoint’s next delivery is',
    async (column, value) => {
      const id = await delivered();
      expect(received()).toHaveLength(1);
      await sql(`update ops.webhook_delivery set ${DUE}, ${column} = ${value} where delivery_id = $1`, [id]);
      await parked(id);
      await named('webhook_delivery');
      await delivered();
      expect(received()).toHaveLength(2);
      const { rows } = await pool.query('select status, attempt from ops.webhook_delivery where delivery_id = $1', [id]);
      expect(rows).toStrictEqual([{ status: 'pending', attempt: 0 }]);
    },
  );

  it.each(Object.entries({ ...EDITS, partner_id: 'null' }))('is not listed after an edit of %s', async (column, value) => {
    const own = column === 'partner_id';
    if (own) await partner.call('POST', '/sandbox/events', { type: 'farmer.loan_added', rupa_id: rupaId });
    else await report(rupaId);
    const listed = async (): Promise<number> => ((await partner.call('GET', '/events')).body.data as { events: unknown[] }).events.length;
    await until(async () => (await listed()) === 1);
    await sql(`update ops.notification set ${column} = ${value} where rupa_id = $1`, [rupaId]);
    const { status, body } = await partner.call('GET', '/events');
    // The event of another farmer is in nobody's list.
    if (column === 'rupa_id') expect((body.data as { events: unknown[] }).events).toStrictEqual([]);
    else expect({ status, body }).toMatchObject(UNAVAILABLE);
    await named('notification');
  });

  it('is neither sent nor listed if somebody added it', async () => {
    const { rows } = await pool.query<{ delivery_id: number }>(
      `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, rupa_id, event, occurred_at, recorded_at, sequence)
       values (gen_random_uuid(), $1, $2, 'farmer.loan_added', $3, 'loan_disbursed', now(), now(), 1) returning delivery_id`,
      [endpoint, partner.partner_id, rupaId],
    );
    await sql(
      `insert into ops.notification (sequence, position, event_id, type, rupa_id, event, occurred_at, recorded_at)
       select 9e9 + position, position, gen_random_uuid(), 'farmer.loan_added', $1, 'loan_disbursed', now(), now() from ops.checkpoint where projection = 'partner'`,
      [rupaId],
    );
    const [id = 0] = rows.map(({ delivery_id }) => delivery_id);
    await parked(id);
    for (const path of ['/events', `/webhooks/${endpoint}/deliveries`, `/webhooks/${endpoint}/deliveries/${id}`])
      expect(await partner.call('GET', path)).toMatchObject(UNAVAILABLE);
    expect(await partner.call('POST', `/webhooks/${endpoint}/deliveries/${id}/resend`)).toMatchObject(UNAVAILABLE);
    for (const table of ['webhook_delivery', 'notification']) await named(table);
    expect(received()).toStrictEqual([]);
    const { code, out } = await rupa(service, ['doctor']);
    expect([code, out]).toStrictEqual([1, expect.stringContaining(`,${endpoint}] of webhook_delivery cannot be trusted`)]);
  });

  it('is sent to no other endpoint, whether moved or copied with its MAC', async () => {
    const [id, other] = [await delivered(), await endpointOf(partner)];
    const columns = 'partner_id, type, rupa_id, event, contribution_id, occurred_at, recorded_at, sequence, data, mac';
    const { rows } = await pool.query<{ delivery_id: number }>(
      `insert into ops.webhook_delivery (event_id, endpoint_id, ${columns}) select event_id, $2, ${columns} from ops.webhook_delivery where delivery_id = $1 returning delivery_id`,
      [id, other],
    );
    await parked(rows[0]?.delivery_id ?? 0);
    await sql('delete from ops.webhook_delivery where endpoint_id = $1', [other]);
    await sql(`update ops.webhook_delivery set ${DUE}, endpoint_id = $2 where delivery_id = $1`, [id, other]);
    await parked(id);
    expect(received()).toHaveLength(1);
  });

  it('does not say what another one says, nor in the list', async () => {
    const ids = [await delivered(), await delivered()];
    const columns = 'type, rupa_id, event, contribution_id, occurred_at, recorded_at, data, mac';
    for (const [table, key] of [
      ['ops.webhook_delivery', 'delivery_id'],
      ['ops.notification', 'sequence'],
    ] as const)
      await sql(
        `update ${table} t set (${columns}) = (select ${columns} from ${table} o where o.rupa_id = $1 and o.${key} <> t.${key}) where t.rupa_id = $1`,
        [rupaId],
      );
    await sql(`update ops.webhook_delivery set ${DUE} where delivery_id = any($1)`, [ids]);
    for (const id of ids) await parked(id);
    expect(await partner.call('GET', '/events')).toMatchObject(UNAVAILABLE);
    expect(received()).toHaveLength(2);
  });

  it.each(Object.entries(RECIPIENTS))('tells no partner of an erasure by a recipient that was %s', async (how, statement) => {
    const other = await makePartner(service, { mode: 'sandbox' });
    const hook = { url: `${receiver.url}/${other.partner_id}`, events: ['farmer.erased'] };
    const { id } = (await other.call('POST', '/webhooks', hook)).body.data as { id: number };
    const erase = async (farmer: string): Promise<void> => {
      expect((await admin(service, 'DELETE', `/farmers/${farmer}`)).status).toBe(200);
      await until(
        async () =>
          (await pool.query("select from ops.notification where type = 'farmer.erased' and rupa_id = $1", [farmer])).rowCount === 1,
      );
    };
    // The erasure of a farmer about whom the other partner held a consent.
    if (how === 'moved to another event') await erase(await farmerOf(other));
    await erase(rupaId);
    expect((await partner.call('GET', '/events?type=farmer.erased')).body.data).toMatchObject({ events: [{ data: { rupa_id: rupaId } }] });
    await sql(statement, [other.partner_id, partner.partner_id]);
    for (const query of ['', '?type=farmer.erased', `?rupa_id=${rupaId}`])
      expect([query, await other.call('GET', `/events${query}`)]).toMatchObject([query, UNAVAILABLE]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await other.call('POST', `/webhooks/${id}/recover`, { since })).toMatchObject(UNAVAILABLE);
    await named('notification_recipient');
    const { code, out } = await rupa(service, ['doctor']);
    expect([code, out]).toStrictEqual([1, expect.stringMatching(/of notification_recipient cannot be trusted/)]);
    await sql(
      'delete from ops.notification_recipient where partner_id = $1 and sequence = (select sequence from ops.notification where rupa_id = $2)',
      [other.partner_id, rupaId],
    );
    expect((await other.call('GET', `/events?rupa_id=${rupaId}`)).body.data).toMatchObject({ events: [] });
    expect(receiver.received.filter(({ path, body }) => path.endsWith(other.partner_id) && body.includes(rupaId))).toStrictEqual([]);
  });

  it('is mended by a recovery, which writes a delivery again from the list', async () => {
    const id = await delivered();
    const { rows: before } = await pool.query('select * from ops.webhook_delivery where delivery_id = $1', [id]);
    await sql(`update ops.webhook_delivery set ${DUE}, type = 'farmer.credit_score_changed' where delivery_id = $1`, [id]);
    await parked(id);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await partner.call('POST', `/webhooks/${endpoint}/recover`, { since })).status).toBeLessThan(300);
    await until(() => Promise.resolve(received().length === 2));
    const [first, second] = received();
    expect(second).toBe(first);
    const { rows: after } = await pool.query('select * from ops.webhook_delivery where delivery_id = $1', [id]);
    expect((after as { mac: string }[])[0]?.mac).toBe((before as { mac: string }[])[0]?.mac);
  });

  it('is written again from no event of the list that somebody edited', async () => {
    const id = await delivered();
    await sql('delete from ops.webhook_delivery where delivery_id = $1', [id]);
    await sql("update ops.notification set type = 'farmer.credit_score_changed' where rupa_id = $1", [rupaId]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await partner.call('POST', `/webhooks/${endpoint}/recover`, { since })).toMatchObject(UNAVAILABLE);
    expect((await pool.query('select from ops.webhook_delivery where endpoint_id = $1', [endpoint])).rowCount).toBe(0);
  });
});
