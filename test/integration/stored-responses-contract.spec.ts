import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { openChargeProjection } from '../../projections/open-charge/open-charge.projection.js';
import { tableStatements } from '../../src/platform/database/schema.js';
import {
  type ResponseKey,
  type BeginResult,
  StoredResponses,
  type Lease,
  LeaseLost,
} from '../../src/contexts/idempotency/stored-responses.js';
import { StoredLists } from '../../src/contexts/idempotency/stored-lists.js';
import { idOfItem } from '../../src/kernel/keyed-id.js';
import { endInvalidLeases } from '../../src/platform/stored-responses/stored-response-table.js';
import { keys } from '../simulation/instance.js';
import { SimulatedProcess } from '../simulation/process.js';
import { World } from '../simulation/world.js';
import { createMigratedDatabase, testPool } from '../support/database.js';
import { startSweeper } from '../support/sweeper.js';
import { type WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { rowMacs } from '../support/row-macs.js';

/** A database, and what a test does to it directly. */
interface Database {
  readonly pool: Pool;
  /** Ages all stored responses by this many seconds; a negative number sets the database's clock back. */
  age(seconds: number): Promise<void>;
  openCharge(lookup_id: string, partner_id: string, debited_at: string): Promise<void>;
  close(): Promise<void>;
}

async function postgres(): Promise<Database> {
  const database = await createMigratedDatabase();
  const pool = testPool(database.url, 2);
  await pool.query(await tableStatements(openChargeProjection.table, 'read'));
  return {
    pool,
    age: async (seconds) => {
      await pool.query(
        'update ops.stored_response set leased_until = leased_until - make_interval(secs => $1), begun_at = begun_at - make_interval(secs => $1)',
        [seconds],
      );
    },
    openCharge: async (...row) => {
      await pool.query('insert into read.open_charge (lookup_id, partner_id, debited_at) values ($1, $2, $3)', row);
    },
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}

function simulated(): Promise<Database> {
  const world = new World(1);
  const { scheduler } = world;
  const pool = world.database.pool(new SimulatedProcess('test', 1, scheduler, { skewMs: 0, drift: 0 })) as unknown as {
    query(text: string, values: unknown[]): Promise<unknown>;
  };
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    const result = pool.query(text, values);
    await scheduler.runUntil(scheduler.now + 50);
    return await result;
  };
  return Promise.resolve({
    pool: { query } as unknown as Pool,
    age: (seconds) => {
      world.databaseClockMs += seconds * 1_000;
      return Promise.resolve();
    },
    openCharge: (lookup_id, partner_id, debited_at) => {
      world.readModels.openCharges.set(lookup_id, { lookup_id, partner_id, debited_at, instance: null });
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
}

describe.each([
  ['PostgreSQL', postgres],
  ['the simulation', simulated],
])('stored responses in %s', (_name, make) => {
  let database: Database;
  let storedResponses: StoredResponses;
  let partner_id: string;

  beforeAll(async () => {
    database = await make();
    storedResponses = new StoredResponses(database.pool, keys, {} as unknown as ResponseKey, rowMacs);
  });
  afterAll(() => database.close());
  beforeEach(() => {
    partner_id = randomUUID();
  });

  const begin = (request_hash = 'body'): Promise<BeginResult> =>
    storedResponses.begin({ partner_id, key: 'key', rupa_id: 'rp-1', request_hash });
  const lease = async (request_hash?: string): Promise<Lease> => {
    const begun = await begin(request_hash);
    if (begun.kind !== 'first') throw new Error('The response is already stored.');
    return begun.lease;
  };

  it('lease a key to one caller at a time, and refuse another body', async () => {
    expect(await lease()).toMatchObject({ abandoned: undefined });
    await expect(begin()).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    await expect(begin('other')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    // Half of the lease: the rest must not pass while a busy machine gets to the next line.
    await database.age(10);
    await expect(begin()).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  });

  it('let another caller take over once the lease has expired, and refuse the first one from then on', async () => {
    const first = await lease();
    await database.age(21);
    const second = await lease();
    expect(second.abandoned).toBe(first.lookup_id);
    await expect(storedResponses.store(first, 'late')).rejects.toThrow(LeaseLost);
    await expect(storedResponses.takeOver(first)).rejects.toThrow(LeaseLost);
    expect(await storedResponses.withdraw(first)).toBe('withdrawn');
    await storedResponses.takeOver(second);
    await storedResponses.store(second, 'response');
    expect(await begin()).toMatchObject({ kind: 'stored', payload: 'response' });
    await expect(begin('other')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('let another caller take over a lease that was taken before the clock was set back, and refuse the first one', async () => {
    const first = await lease();
    await database.age(-3_600);
    await expect(storedResponses.store(first, 'late')).rejects.toThrow(LeaseLost);
    expect(await lease()).toMatchObject({ abandoned: first.lookup_id });
  });

  it('name the lookup that was taken over last', async () => {
    await lease();
    await database.age(21);
    const second = await lease();
    await storedResponses.takeOver(second);
    await database.age(21);
    expect(await lease()).toMatchObject({ abandoned: second.lookup_id });
  });

  it('are not accepted once the lease has expired', async () => {
    const late = await lease();
    await database.age(21);
    await expect(storedResponses.store(late, 'late')).rejects.toThrow(LeaseLost);
    expect(await storedResponses.withdraw(late)).toBe('withdrawn');
    expect(await lease('other')).toMatchObject({ abandoned: undefined });
  });

  it('are stored once and never withdrawn', async () => {
    const only = await lease();
    await storedResponses.store(only, 'response');
    await expect(storedResponses.store(only, 'another')).rejects.toThrow(LeaseLost);
    expect(await storedResponses.withdraw(only)).toBe('stored');
    expect(await begin()).toMatchObject({ kind: 'stored', payload: 'response' });
  });

  it.each([
    ['with a response', true],
    ['without a response', false],
  ])('expire after a day, %s', async (_how, hasResponse) => {
    const first = await lease();
    if (hasResponse) await storedResponses.store(first, 'response');
    await database.age(25 * 3_600);
    expect(await lease('other')).toMatchObject({ abandoned: hasResponse ? undefined : first.lookup_id });
  });

  it('decide which stale charges the sweep settles and which it refunds', async () => {
    const settledBy = await lease();
    await storedResponses.store(settledBy, 'response');
    const now = new Date().toISOString();
    await database.openCharge(settledBy.lookup_id, partner_id, now);
    await database.openCharge(`${partner_id}-forgotten`, partner_id, now);
    const commands: unknown[] = [];
    const execute = (id: string, { kind, lookup_ids }: { kind: string; lookup_ids: string[] }) => {
      if (id === partner_id) commands.push([kind, lookup_ids]);
      return Promise.resolve({ events: [], state: { balance_kobo: 0 } });
    };
    await startSweeper({ execute } as unknown as WriterOf<typeof WALLET_STREAMS>, database.pool).sweepStale();
    // PostgreSQL returns the open charges in any order.
    expect(new Set(commands)).toStrictEqual(
      new Set([
        ['settle', [settledBy.lookup_id]],
        ['refund', [`${partner_id}-forgotten`]],
      ]),
    );
  });

  describe('of lists', () => {
    const ownKey = {
      encrypt: (text: string, binding: string) => Promise.resolve(`${binding} ${text}`),
      decrypt: (text: string, binding: string) => Promise.resolve(text.slice(binding.length + 1)),
    } as unknown as ResponseKey;
    const IDS = ['rp-1', 'rp-2', 'rp-3'];
    const pieces = [0, 2].map((index) => ({ index, rupa_id: IDS[index] ?? '', text: `about ${IDS[index]}` }));
    let lists: StoredLists;
    let heads: StoredResponses;
    beforeEach(() => {
      lists = new StoredLists(database.pool, keys, ownKey, rowMacs);
      heads = new StoredResponses(database.pool, keys, ownKey, rowMacs);
    });
    const beginList = (): Promise<BeginResult> => heads.begin({ partner_id, key: 'list', rupa_id: '', request_hash: 'body', isList: true });
    const leaseList = async (): Promise<Lease> => {
      const begun = await beginList();
      if (begun.kind !== 'first') throw new Error('The response is already stored.');
      return begun.lease;
    };
    const storedList = async (): Promise<[string, ...(readonly [number, string])[]]> => {
      const begun = await beginList();
      if (begun.kind === 'first') throw new Error('The response is not stored.');
      return [begun.payload, ...(await lists.piecesOf(begun, IDS.length))].sort() as [string, ...(readonly [number, string])[]];
    };
    const NOTHING_LOST = { erased: new Set(), lost: new Set() };

    it('are stored with their pieces at once, and never withdrawn', async () => {
      const only = await leaseList();
      await lists.begin(only, IDS);
      expect(await lists.store(only, 'head', pieces)).toStrictEqual(NOTHING_LOST);
      await expect(lists.store(only, 'another', pieces)).rejects.toThrow(LeaseLost);
      expect(await lists.withdraw(only, IDS.length)).toBe('stored');
      const found = [[0, 'about rp-1'], [2, 'about rp-3'], 'head'];
      expect(await storedList()).toStrictEqual(found);
      await lists.replaceHead(only, 'changed');
      expect(await storedList()).toStrictEqual([...found.slice(0, 2), 'changed']);
    });

    it('are taken over once the lease has expired, with pieces of their own', async () => {
      const first = await leaseList();
      await lists.begin(first, IDS);
      await database.age(21);
      const second = await leaseList();
      expect(second.abandoned).toBe(first.lookup_id);
      await expect(lists.begin(first, IDS)).rejects.toThrow(LeaseLost);
      await expect(lists.store(first, 'late', pieces)).rejects.toThrow(LeaseLost);
      await heads.takeOver(second);
      await lists.begin(second, IDS);
      await expect(lists.store(first, 'late', pieces)).rejects.toThrow(LeaseLost);
      expect(await lists.withdraw(first, IDS.length)).toBe('withdrawn');
      expect(await lists.store(second, 'head', pieces)).toStrictEqual(NOTHING_LOST);
      expect(await storedList()).toHaveLength(3);
    });

    it('are not stored once the lease has expired, and leave nothing when they are withdrawn', async () => {
      const late = await leaseList();
      await lists.begin(late, IDS);
      await database.age(21);
      await expect(lists.store(late, 'late', pieces)).rejects.toThrow(LeaseLost);
      expect(await lists.withdraw(late, IDS.length)).toBe('withdrawn');
      expect(await leaseList()).toMatchObject({ abandoned: undefined });
    });

    it('lose a piece whose lease the sweep has ended', async () => {
      const only = await leaseList();
      await lists.begin(only, IDS);
      const lookups = IDS.map((_, index) => idOfItem(only.lookup_id, index));
      await database.age(-3_600);
      await endInvalidLeases(database.pool, lookups.slice(2), 20);
      await database.age(3_600);
      expect(await lists.store(only, 'head', pieces)).toStrictEqual({ erased: new Set(), lost: new Set([2]) });
      expect(await storedList()).toStrictEqual([[0, 'about rp-1'], 'head']);
    });

    it('have a row for each lookup, by which the sweep settles or refunds its charge', async () => {
      const only = await leaseList();
      await lists.begin(only, IDS);
      await lists.store(only, 'head', pieces);
      const lookups = IDS.map((_, index) => idOfItem(only.lookup_id, index));
      for (const lookup_id of lookups) await database.openCharge(lookup_id, partner_id, new Date().toISOString());
      const commands = new Map<string, readonly string[]>();
      const execute = (id: string, { kind, lookup_ids }: { kind: string; lookup_ids: string[] }) => {
        if (id === partner_id) commands.set(kind, lookup_ids.toSorted());
        return Promise.resolve({ events: [], state: { balance_kobo: 0 } });
      };
      await database.age(21);
      await startSweeper({ execute } as unknown as WriterOf<typeof WALLET_STREAMS>, database.pool).sweepStale();
      expect(Object.fromEntries(commands)).toStrictEqual({ settle: [lookups[0], lookups[2]], refund: [lookups[1]] });
    });
  });
});
