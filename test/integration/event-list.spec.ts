import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Pool } from 'pg';
import { EventList, type EventFilter } from '../../src/contexts/webhooks/events/event-list.js';
import { GetEvents, GetEventsHandler } from '../../src/contexts/webhooks/events/get-events.query.js';
import { WEBHOOK_SUBSCRIBER } from '../../src/contexts/webhooks/notifying/notification-writer.js';
import { deleteOldDeliveries } from '../../src/contexts/webhooks/delivering/old-deliveries.js';
import { DeliveryWorld } from '../support/delivery-world.js';
import { anyRow } from '../support/row-macs.js';

/** Small bounds make every way of searching occur with few rows. */
const LIMITS = { window: 4, fewNotifications: 2, fewConsents: 2, merged: 5, mostConsents: 2, fewFarmers: 2, remembered: 10 };
const MANY_CONSENTS = { ...LIMITS, window: 3, fewConsents: 1, mostConsents: 5 };
const RUNS = 25;
const PARTNER = { partner_id: 'p1' };
const FARMERS = ['rp-1', 'rp-2', 'rp-3', 'rp-4', 'rp-erased'];
const ERASED = 'farmer.erased';
const TYPES = ['farmer.loan_added', 'farmer.loan_repaid', ERASED];

interface Row {
  readonly rupaId: string;
  readonly type: string;
  /** The partner that the notification is for alone; null for all that have a consent. */
  readonly partner: string | null;
  /** Whether the partner is among the recipients, if the notification is that of an erasure. */
  readonly isRecipient?: boolean;
}

interface History {
  /** Rows that are added before each page. */
  readonly batches: readonly (readonly Row[])[];
  /** The first sequence that the partner's consent for each farmer shows; undefined without a consent. */
  readonly consents: readonly (number | undefined)[];
  readonly filter: EventFilter;
  readonly limit: number;
}

const row: fc.Arbitrary<Row> = fc.record({
  rupaId: fc.constantFrom(...FARMERS),
  type: fc.constantFrom(...TYPES),
  partner: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom('p1', 'p2') }),
  isRecipient: fc.boolean(),
});
const history: fc.Arbitrary<History> = fc.record({
  batches: fc.array(fc.array(row, { maxLength: 12 }), { minLength: 1, maxLength: 6 }),
  consents: fc.tuple(...FARMERS.map(() => fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }))),
  filter: fc.record({
    type: fc.option(fc.constantFrom(...TYPES), { nil: undefined }),
    rupaId: fc.option(fc.constantFrom(...FARMERS), { nil: undefined, freq: 3 }),
  }),
  limit: fc.integer({ min: 1, max: 5 }),
});

/** Returns a pool that runs `before` ahead of each statement which checks the consents of events that were found. */
function checkedAfter(pool: Pool, before: () => Promise<unknown>): Pool {
  const query = async (...sent: readonly unknown[]): Promise<unknown> => {
    if (JSON.stringify(sent[0]).includes('as k(partner_id text, rupa_id text)')) await before();
    return await pool.query(...(sent as [string, unknown[]]));
  };
  return Object.assign(Object.create(pool) as Pool, { query });
}

describe.each([
  ['few', LIMITS],
  ['many', MANY_CONSENTS],
])('the list of events, if %s consents are looked through', (_name, limits) => {
  let world: DeliveryWorld;
  let list: EventList;

  beforeAll(async () => {
    world = await DeliveryWorld.create();
    await world.pool.query("insert into read.erased_farmer (rupa_id, position, erased_at) values ('rp-erased', 1, now())");
  });
  afterAll(() => world.close());

  const sequenceOf = (index: number): number => index + 1;
  const add = async (rows: readonly Row[], from: number): Promise<void> => {
    const values = rows.map((each, index) => ({ ...each, sequence: sequenceOf(from + index) }));
    await world.pool.query(
      `insert into ops.notification (sequence, position, event_id, partner_id, type, rupa_id, recorded_at)
       select r.sequence, r.sequence, gen_random_uuid(), r.partner, r.type, r."rupaId", timestamptz '2026-01-01' + r.sequence * interval '1 second'
       from json_to_recordset($1) as r(sequence numeric, partner text, type text, "rupaId" text)`,
      [JSON.stringify(values)],
    );
    const ofErasures = values.filter(({ type, partner }) => type === ERASED && partner === null);
    await world.pool.query(
      `insert into ops.notification_recipient (partner_id, sequence)
       select p, r.sequence from json_to_recordset($1) as r(sequence numeric, "isRecipient" boolean), unnest('{p1,p2}'::text[]) p
       where r."isRecipient" or p <> 'p1'`,
      [JSON.stringify(ofErasures)],
    );
  };
  const consent = async (rupaId: string, from: number): Promise<void> => {
    await world.pool.query(
      `insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position)
       values ('p1', $1, 'loan', timestamptz '2026-01-01' + $2 * interval '1 second', now(), 1, 0, 0, $2)`,
      [rupaId, from],
    );
  };
  const begin = async (consents: History['consents']): Promise<void> => {
    await world.pool.query('truncate ops.notification, ops.notification_recipient, read.consent_roster');
    // A list remembers how far it has searched, and these rows are of another history.
    list = new EventList(world.pool, anyRow, limits);
    for (const [index, from] of consents.entries()) if (from !== undefined) await consent(FARMERS[index] ?? '', from);
  };
  const expected = ({ batches, consents, filter }: History): string[] =>
    batches.flat().flatMap(({ rupaId, type, partner, isRecipient = false }, index) => {
      const from = consents[FARMERS.indexOf(rupaId)] ?? Infinity;
      const ofErasure = type === ERASED && partner === null;
      const isRead = rupaId !== 'rp-erased' && (partner === null ? from <= sequenceOf(index) : partner === 'p1');
      const passes = [undefined, type].includes(filter.type) && [undefined, rupaId].includes(filter.rupaId);
      return (ofErasure ? isRecipient : isRead) && passes ? [String(sequenceOf(index))] : [];
    });

  it('neither repeats nor hides an event that is added while it is paged, whatever its filter', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (each) => {
        await begin(each.consents);
        const found: string[] = [];
        const page = async (): Promise<number> => {
          const { events } = await list.after(found.at(-1) ?? '0', PARTNER, each.filter, each.limit);
          found.push(...events.map(({ sequence }) => sequence));
          return events.length;
        };
        let added = 0;
        for (const rows of each.batches) {
          await add(rows, added);
          added += rows.length;
          await page();
        }
        while ((await page()) > 0);
        expect(found).toStrictEqual(expected(each));
      }),
      { numRuns: RUNS },
    );
  });

  it('says how far a search without a result has come, and goes on from there', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (each) => {
        await begin(each.consents);
        let [added, from] = [0, '0'];
        const found: string[] = [];
        const search = async (): Promise<number> => {
          const { events, searchedTo } = await list.after(from, PARTNER, each.filter, each.limit);
          from = events.at(-1)?.sequence ?? searchedTo;
          found.push(...events.map(({ sequence }) => sequence));
          return events.length;
        };
        for (const rows of each.batches) {
          await add(rows, added);
          added += rows.length;
          await search();
        }
        while ((await search()) > 0);
        expect(found).toStrictEqual(expected(each));
      }),
      { numRuns: RUNS },
    );
  });

  it('shows no event whose consent ends while the page is read, and all others', async () => {
    const endedConsents = fc.tuple(...FARMERS.map(() => fc.boolean()));
    await fc.assert(
      fc.asyncProperty(history, endedConsents, async (each, ended) => {
        await begin(each.consents);
        await add(each.batches.flat(), 0);
        const released = FARMERS.filter((_, index) => ended[index]);
        const beforeCheck = async (): Promise<unknown> =>
          await world.pool.query('delete from read.consent_roster where rupa_id = any($1)', [released]);
        list = new EventList(checkedAfter(world.pool, beforeCheck), anyRow, limits);
        const found: string[] = [];
        const page = async (): Promise<number> => {
          const { events } = await list.after(found.at(-1) ?? '0', PARTNER, each.filter, each.limit);
          found.push(...events.map(({ sequence }) => sequence));
          return events.length;
        };
        while ((await page()) > 0);
        const consents = each.consents.map((from, index) => (ended[index] ? undefined : from));
        expect(found).toStrictEqual(expected({ ...each, consents }));
      }),
      { numRuns: RUNS },
    );
  });

  it('shows the events of an earlier log by the time of the consent', async () => {
    await begin([3]);
    const rows = Array.from({ length: 5 }, (): Row => ({ rupaId: 'rp-1', type: 'farmer.loan_added', partner: null }));
    await add(rows, 0);
    await world.pool.query('update ops.notification set position = null');
    // The consent has another position in the copy of the log.
    await world.pool.query('update read.consent_roster set granted_position = 1000');
    const { events } = await list.after('0', PARTNER, {}, 10);
    expect(events.map(({ sequence }) => sequence)).toStrictEqual(['3', '4', '5']);
  });

  it.each(['position + 100000', 'null'])(
    'shows no event from before the consent whose position somebody changed to %s',
    async (position) => {
      await begin([200]);
      await add(
        Array.from({ length: 205 }, (): Row => ({ rupaId: 'rp-1', type: 'farmer.loan_added', partner: null })),
        0,
      );
      const first = async (): Promise<number> => Number((await list.after('0', PARTNER, {}, 10)).events[0]?.sequence);
      expect(await first()).toBe(200);
      await world.pool.query(`update ops.notification set position = ${position}`);
      // Events are dated in the order of the log but for a minute.
      expect(await first()).toBe(position === 'null' ? 200 : 140);
    },
  );

  it('is kept for 30 days', async () => {
    await begin([1]);
    await add(
      Array.from({ length: 3 }, (): Row => ({ rupaId: 'rp-1', type: 'farmer.loan_added', partner: null })),
      0,
    );
    await world.pool.query(
      "update ops.notification set created_at = now() - make_interval(days => 30) - interval '1 minute' where sequence = 1",
    );
    await world.pool.query(
      "update ops.notification set created_at = now() - make_interval(days => 30) + interval '10 minutes' where sequence = 2",
    );
    await deleteOldDeliveries({ pool: world.pool, retentionDays: 90 });
    const { events } = await list.after('0', PARTNER, {}, 10);
    expect(events.map(({ sequence }) => sequence)).toStrictEqual(['2', '3']);
  });

  it('goes on with the oldest event that is kept after a cursor whose event was deleted', async () => {
    await begin([1]);
    await add(
      Array.from({ length: 3 }, (): Row => ({ rupaId: 'rp-1', type: 'farmer.loan_added', partner: null })),
      0,
    );
    await world.pool.query('insert into ops.checkpoint (projection, version, position, reaction) values ($1, 1, 3, true)', [
      WEBHOOK_SUBSCRIBER,
    ]);
    const events = new GetEventsHandler(list, undefined as never);
    const read = (limit: number, cursor?: string) =>
      events.execute(new GetEvents({ ...PARTNER, mode: 'live' }, {}, { limit, cursor, waitMs: 0 }, new AbortController().signal));
    const { next_cursor: first } = await read(1);
    const { next_cursor: last } = await read(3);
    expect((await read(10, first)).events).toHaveLength(2);
    await world.pool.query('delete from ops.notification where sequence < 3');
    expect(await read(10, first)).toStrictEqual(await read(10));
    expect(await read(10, last)).toStrictEqual({ events: [], next_cursor: last });
    const fromOldest = await read(10);
    expect([fromOldest.events.length, fromOldest.next_cursor]).toStrictEqual([1, last]);
  });
});
