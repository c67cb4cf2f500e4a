import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { OPERATIONAL_TABLES } from '../../src/contexts/operational-tables.js';
import { DeactivatedKeys, KeyEnds } from '../../src/contexts/partners/keys/key-ends.js';
import {
  deliveryTable,
  insertDeliveries,
  insertNotifications,
  insertRecipients,
  noteNotified,
} from '../../src/contexts/webhooks/notifying/signed-rows.js';
import { columnsOf } from '../../src/platform/database/schema.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { forgedRows, recordForgedRows, RowSweep } from '../../src/platform/projecting/forged-rows.js';
import { renewMacs, rowsUnderKey } from '../../src/platform/projecting/renew-macs.js';
import { RowMacs } from '../../src/platform/projecting/row-macs.js';
import { migrate } from '../../src/stores/migrations.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';
import { MASTER_KEY } from '../support/row-macs.js';
import { until } from '../support/until.js';

const EVENT_ID = '7b1f0a52-3f0e-4f0c-9a63-0f6f5d9f2b11';
const AT = '2026-01-01T00:00:00.000Z';
const TABLES = new Map(OPERATIONAL_TABLES.map(({ name, table }) => [name, table]));
/** Columns that change with attempts or say when a row was made, the key of the row, and the position, which a move of the log clears. */
const UNCOVERED: Readonly<Record<string, readonly string[]>> = {
  webhook_delivery: [
    ...['delivery_id', 'status', 'attempt', 'next_attempt_at', 'attempted_at', 'response_status', 'duration_ms', 'error', 'holder'],
    ...['leased_until', 'created_at', 'recovering', 'mac'],
  ],
  notification: ['position', 'created_at', 'mac'],
  notification_recipient: ['created_at', 'mac'],
  notified_event: ['mac'],
  deactivated_key: ['mac'],
  api_key_end: ['mac'],
};
/** A column of each table that somebody edits. */
const EDITED: Readonly<Record<string, string>> = {
  webhook_delivery: "event = 'other'",
  notification: "event = 'other'",
  notification_recipient: "partner_id = 'p-other'",
  notified_event: 'revision = 10',
  deactivated_key: "deactivated_at = deactivated_at - interval '1 day'",
  api_key_end: "expires_at = expires_at - interval '1 day'",
};
/** The keys of the rows that each test begins with. */
const KEYS = [
  ...[`notification ["123456789012345"]`, `webhook_delivery ["${EVENT_ID}",1]`, 'notification_recipient ["p-other","7"]'],
  ...['notified_event ["webhook_deliveries"]', 'deactivated_key ["k-1"]', 'api_key_end ["k-1"]'],
];
const OTHER: Readonly<Record<string, string>> = {
  text: "'other'",
  uuid: 'gen_random_uuid()',
  int8: '77',
  numeric: '77',
  timestamptz: "'2026-02-02T02:02:02.002Z'",
  json: `'{"other":1}'`,
};
const said = {
  event_id: EVENT_ID,
  type: 'farmer.loan_added',
  rupa_id: 'rp-1',
  event: 'loan_disbursed',
  contribution_id: 5,
  occurred_at: '2026-01-01T00:00:00.000Z',
  recorded_at: '2026-01-01T00:00:01.001Z',
  sequence: '123456789012345',
  data: { test: true, balance: 12.5, ключ: '\u{1F33E}' },
};

const names = [...TABLES.keys()];
const tableOf = (name: string) => TABLES.get(name) ?? deliveryTable;
const allTables = OPERATIONAL_TABLES.map(({ name }) => `ops.${name}`).join(', ');

describe('the MAC of a row of an operational table', () => {
  const macs = new RowMacs(MasterKeys.parse(MASTER_KEY));
  const rotated = new RowMacs(MasterKeys.parse(`k2:${Buffer.alloc(32, 8).toString('base64')},${MASTER_KEY}`));
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query(`truncate ${allTables}, ops.forged_row`);
    await insertDeliveries(pool, macs, [{ ...said, endpoint_id: 1, partner_id: 'p1' }]);
    const client = await pool.connect();
    await insertNotifications(client, macs, [{ ...said, partner_id: null, position: '9' }]);
    await insertRecipients(client, macs, [{ partner_id: 'p1', sequence: '7' }]);
    client.release();
    await noteNotified(pool, macs, { subscriber: 'webhook_deliveries', event_id: EVENT_ID, stream: 'farmer-rp-1', revision: 3 });
    await new DeactivatedKeys(pool, macs).add('k-1', AT);
    await new KeyEnds(pool, macs).add('k-1', AT, AT);
  });

  const holds = async (name: string, under = macs): Promise<boolean[]> =>
    (await pool.query<{ mac: string }>(`select * from ops.${name}`)).rows.map((row) => under.holds(tableOf(name), row));

  it.each(names)('covers every column of %s that decides, and no other', async (name) => {
    expect(await holds(name)).toStrictEqual([true]);
    const { rows: columns } = await pool.query<{ column: string; type: string }>(
      `select column_name as column, udt_name as type from information_schema.columns where table_schema = 'ops' and table_name = $1`,
      [name],
    );
    const covered = columns.filter(({ column }) => !UNCOVERED[name]?.includes(column));
    expect(covered.map(({ column }) => column).toSorted()).toStrictEqual(
      columnsOf(tableOf(name))
        .map((column) => column.name)
        .filter((column) => column !== 'mac')
        .toSorted(),
    );
    for (const { column, type } of covered) {
      const { rows } = await pool.query<{ kept: object }>(`select to_jsonb(t) as kept from ops.${name} t`);
      await pool.query(`update ops.${name} set ${column} = ${OTHER[type]}`);
      expect([column, await holds(name)]).toStrictEqual([column, [false]]);
      await pool.query(`delete from ops.${name}`);
      const copied = columns.map((each) => each.column).join(', ');
      await pool.query(
        `insert into ops.${name} (${copied}) overriding system value select ${copied} from jsonb_populate_record(null::ops.${name}, $1)`,
        [JSON.stringify({ ...rows[0]?.kept, data: undefined })],
      );
      // As jsonb, the data would have another text.
      if (columns.some((each) => each.column === 'data')) await pool.query(`update ops.${name} set data = $1`, [JSON.stringify(said.data)]);
      expect([column, await holds(name)]).toStrictEqual([column, [true]]);
    }
  });

  it('does not hold for the same values in the other table', async () => {
    await pool.query('update ops.notification n set mac = d.mac from ops.webhook_delivery d');
    expect(await holds('notification')).toStrictEqual([false]);
  });

  it('keeps the row of an earlier deactivation and of an earlier end, and replaces one that somebody edited', async () => {
    const later = '2026-01-02T00:00:00.000Z';
    const add = async (): Promise<unknown[]> => {
      await new DeactivatedKeys(pool, macs).add('k-1', later);
      await new KeyEnds(pool, macs).add('k-1', later, later);
      const { rows } = await pool.query<object>(
        'select d.deactivated_at, e.expires_at, e.set_at from ops.deactivated_key d join ops.api_key_end e using (key_id)',
      );
      return [...rows, await holds('deactivated_key'), await holds('api_key_end')];
    };
    expect(await add()).toStrictEqual([{ deactivated_at: AT, expires_at: AT, set_at: AT }, [true], [true]]);
    for (const name of ['deactivated_key', 'api_key_end']) await pool.query(`update ops.${name} set ${EDITED[name]}`);
    expect(await new DeactivatedKeys(pool, macs).has('k-1')).toBe(false);
    expect(await add()).toStrictEqual([{ deactivated_at: later, expires_at: later, set_at: later }, [true], [true]]);
    const earlier = '2025-12-31T00:00:00.000Z';
    await new KeyEnds(pool, macs).add('k-1', earlier, earlier);
    expect((await pool.query('select expires_at from ops.api_key_end')).rows).toStrictEqual([{ expires_at: earlier }]);
  });

  it('is renewed under another master key, but not that of an edited row', async () => {
    await insertDeliveries(pool, macs, [{ ...said, endpoint_id: 2, partner_id: 'p1' }]);
    await pool.query("update ops.webhook_delivery set type = 'other' where endpoint_id = 2");
    expect(await rowsUnderKey(pool, 'k1')).toBe(names.length + 1);
    expect(await renewMacs(pool, rotated, OPERATIONAL_TABLES)).toBe(names.length);
    expect(await rowsUnderKey(pool, 'k1')).toBe(1);
    expect((await holds('webhook_delivery', rotated)).toSorted()).toStrictEqual([false, true]);
    for (const name of names.filter((each) => each !== 'webhook_delivery')) expect(await holds(name, rotated)).toStrictEqual([true]);
  });

  it('is swept, so that an edited row is named although nobody reads it, until it is gone', async () => {
    const watched = new RowMacs(MasterKeys.parse(MASTER_KEY));
    recordForgedRows(pool, watched);
    const sweep = new RowSweep(pool, watched, [], OPERATIONAL_TABLES);
    await sweep.sweep();
    expect(await forgedRows(pool, 10)).toStrictEqual([]);
    for (const name of names) await pool.query(`update ops.${name} set ${EDITED[name]}`);
    await sweep.sweep();
    await until(async () => (await forgedRows(pool, 10)).length === names.length);
    await pool.query("update ops.forged_row set noticed_at = now() - interval '1 hour'");
    await sweep.sweep();
    // Each is recorded once more, under the same key.
    await until(
      async () =>
        (await pool.query("select from ops.forged_row where noticed_at > now() - interval '30 minutes'")).rowCount === names.length,
    );
    const named = async (): Promise<string[]> => (await forgedRows(pool, 10)).map(({ table_name, row_key }) => `${table_name} ${row_key}`);
    expect((await named()).toSorted()).toStrictEqual(KEYS.toSorted());
    for (const name of names) await pool.query(`delete from ops.${name}`);
    await sweep.sweep();
    expect(await named()).toStrictEqual([]);
  });

  it('is named by keys of which somebody wrote any text', async () => {
    const watched = new RowMacs(MasterKeys.parse(MASTER_KEY));
    const texts = ['["x",1]', '["7b1f0a52-3f0e-4f0c-9a63-0f6f5d9f2b1g",1]', `["${EVENT_ID}","x"]`, '[1]', `[null,1]`];
    await pool.query("insert into ops.forged_row (table_name, row_key) select 'webhook_delivery', unnest($1::text[])", [texts]);
    await new RowSweep(pool, watched, [], OPERATIONAL_TABLES).sweep();
    expect(await forgedRows(pool, 10)).toStrictEqual([]);
  });
});

describe('the upgrade from a release without MACs of operational tables', () => {
  const macs = new RowMacs(MasterKeys.parse(MASTER_KEY));
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  const unmigrated = async (): Promise<void> => {
    for (const name of names) await pool.query(`alter table ops.${name} drop column mac`);
    await pool.query("delete from public.migration where name like '%-macs' and name >= '0030'");
  };
  const holding = async (name: string): Promise<number> =>
    (await pool.query<{ mac: string }>(`select * from ops.${name}`)).rows.filter((row) => macs.holds(tableOf(name), row)).length;

  it('needs no master key where there are no rows', async () => {
    await unmigrated();
    await migrate(database.url);
    await expect(migrate(database.url)).resolves.toBeUndefined();
  });

  it('gives all rows their MACs once, also if it was interrupted, and none to a row that comes later', async () => {
    await unmigrated();
    await pool.query(
      `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, recorded_at)
       select gen_random_uuid(), 1, 'p1', 'webhook.test', now() from generate_series(1, 2500)`,
    );
    await pool.query(
      `insert into ops.notification (sequence, event_id, type, recorded_at) select n, gen_random_uuid(), 'farmer.loan_added', now() from generate_series(1, 10) n`,
    );
    await pool.query("insert into ops.deactivated_key (key_id) select 'k-' || n from generate_series(1, 3) n");
    await pool.query(
      "insert into ops.api_key_end (key_id, expires_at, set_at) select 'k-' || n, now(), now() from generate_series(1, 4) n",
    );
    await pool.query("insert into ops.notification_recipient (partner_id, sequence) select 'p-' || n, n from generate_series(1, 5) n");
    await pool.query(
      "insert into ops.notified_event (subscriber, event_id, stream, revision) values ('s', gen_random_uuid(), 'farmer-1', 2)",
    );
    await expect(migrate(database.url)).rejects.toThrow('need MACs');
    let asked = 0;
    const interrupted = Object.assign(new RowMacs(MasterKeys.parse(MASTER_KEY)), {
      authenticate: (...[table, rows]: Parameters<RowMacs['authenticate']>) => {
        if ((asked += 1) > 1) throw new Error('interrupted');
        return macs.authenticate(table, rows);
      },
    });
    await expect(migrate(database.url, () => Promise.resolve(interrupted))).rejects.toThrow('interrupted');
    expect(await holdingOrNone()).toBe(1_000);
    await migrate(database.url, () => Promise.resolve(macs));
    const held = await Promise.all(names.map(async (name) => [name, await holding(name)] as const));
    const [ofWebhooks, ofKeys] = [
      { webhook_delivery: 2_500, notification: 10, notification_recipient: 5, notified_event: 1 },
      { deactivated_key: 3, api_key_end: 4 },
    ];
    expect(Object.fromEntries(held)).toStrictEqual({ ...ofWebhooks, ...ofKeys });
    await pool.query(
      "insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, recorded_at) values (gen_random_uuid(), 1, 'p1', 'webhook.test', now())",
    );
    await pool.query("insert into ops.deactivated_key (key_id) values ('k-9')");
    await migrate(database.url, () => Promise.resolve(macs));
    expect([await holding('webhook_delivery'), await holding('deactivated_key')]).toStrictEqual([2_500, 3]);
  });

  const holdingOrNone = async (): Promise<number> =>
    (await pool.query<{ mac: string }>('select * from ops.webhook_delivery where mac is not null')).rows.filter((row) =>
      macs.holds(deliveryTable, row),
    ).length;
});
