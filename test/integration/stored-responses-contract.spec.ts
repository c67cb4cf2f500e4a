import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { openChargeProjection } from '../../projections/open-charge/open-charge.projection.js';
import { createPool } from '../../src/platform/database/pool.js';
import { tableStatements } from '../../src/platform/database/schema.js';
import { type ResponseKey } from '../../src/contexts/idempotency/response-key.js';
import { type BeginResult, StoredResponses, type Lease, LeaseLost } from '../../src/contexts/idempotency/stored-responses.js';
import { keys } from '../simulation/instance.js';
import { SimulatedProcess } from '../simulation/process.js';
import { World } from '../simulation/world.js';
import { createMigratedDatabase } from '../support/database.js';
import { startSweeper } from '../support/sweeper.js';
import { type WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { type WriterOf } from '../../src/platform/event-sourcing/writing/streams.js';
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
  const pool = createPool(database.url, 2, () => undefined);
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
    await database.age(19);
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
});
