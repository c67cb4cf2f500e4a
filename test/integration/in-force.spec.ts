import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { createPool } from '../../src/platform/database/pool.js';
import { type CommandResult } from '../../src/platform/event-sourcing/writing/batch.js';
import { type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type ReadModelListener } from '../../src/platform/projecting/in-memory/read-model-listener.js';
import { ReadModels } from '../../src/platform/projecting/read-models.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

const LAST = 20n;
const CHANGE = { stream: 'farmer-rp-1', readModel: 'farmer_profile', next: 'Send it again.' };
const NOT_SHOWN =
  'The change is recorded, but not yet in force. The read models do not show it yet. It takes effect as soon as the read models have caught up. Send it again.';

type Committed = CommandResult<unknown, DomainEvent>;
const appended = { position: LAST } as Committed;
/** The result of a repeated command, which appends nothing. */
const repeated = { position: undefined } as Committed;

describe('a change', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = createPool(database.url, 2, () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => pool.query('delete from ops.checkpoint'));

  const shownTo = (position: number, fault: string | null = null) =>
    pool.query("insert into ops.checkpoint (projection, version, position, fault) values ('farmer_profile', 1, $1, $2)", [position, fault]);
  /** @param caughtUp whether the read models that are not faulted reach a position in time */
  const readModels = (caughtUp: boolean, lastEvent: () => Promise<unknown> = () => Promise.resolve({ position: LAST })): ReadModels =>
    new ReadModels(
      { lastEvent } as unknown as EventStore,
      { waitFor: () => Promise.resolve(caughtUp) } as unknown as ReadModelListener,
      pool,
    );

  it.each([
    ['that was appended', appended],
    ['that is repeated and appends nothing', repeated],
  ])('%s is in force only once its read model shows it', async (_which, committed) => {
    await shownTo(19);
    await expect(readModels(true).waitUntilInForce(committed, CHANGE)).rejects.toThrow(NOT_SHOWN);
    await pool.query('update ops.checkpoint set position = 20');
    await expect(readModels(false).waitUntilInForce(committed, CHANGE)).rejects.toThrow(NOT_SHOWN);
    await expect(readModels(true).waitUntilInForce(committed, CHANGE)).resolves.toBeUndefined();
    await pool.query("update ops.checkpoint set fault = 'an event'");
    await expect(readModels(true).waitUntilInForce(committed, CHANGE)).rejects.toThrow(NOT_SHOWN);
  });

  it('is reported as recorded if a store fails afterwards', async () => {
    const failing = readModels(true, () => Promise.reject(new Error('broken')));
    await expect(failing.waitUntilInForce(repeated, CHANGE)).rejects.toThrow(/^The change is recorded, but not yet in force\. A store/);
  });

  it('that is in force by being recorded succeeds in any case, and says whether the read models show it', async () => {
    expect(await readModels(false).waitFor(appended)).toBe(false);
    expect(await readModels(true).waitFor(appended)).toBe(true);
    expect(await readModels(false).waitFor(repeated)).toBe(true);
  });
});
