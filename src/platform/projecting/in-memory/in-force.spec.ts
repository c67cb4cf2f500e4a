import { describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { type CommandResult } from '../../event-sourcing/writing/batch.js';
import { type DomainEvent } from '../../event-sourcing/decider.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { type ReadModelListener } from './read-model-listener.js';
import { ReadModels } from '../read-models.js';

const LAST = 20n;
const CHANGE = { stream: 'farmer-rp-1', readModel: 'farmer_profile', next: 'Send it again.' };
const NOT_SHOWN =
  'The change is recorded, but not yet in force. The read model farmer_profile does not show it yet. It takes effect as soon as the read models have caught up. Send it again.';

type Committed = CommandResult<unknown, DomainEvent>;
const appended = { position: LAST } as Committed;
/** The result of a repeated command, which appends nothing. */
const repeated = { position: undefined } as Committed;

describe('a change', () => {
  /** @param behind the read models that do not show a position in time */
  const readModels = (
    behind: readonly string[],
    lastEvent: () => Promise<unknown> = () => Promise.resolve({ position: LAST }),
  ): ReadModels =>
    new ReadModels(
      { lastEvent } as unknown as EventStore,
      {
        waitFor: (position: bigint, _ms?: number, models = ['another']) =>
          Promise.resolve(position !== LAST || !models.some((model) => behind.includes(model))),
      } as unknown as ReadModelListener,
      {} as Pool,
    );

  it.each([
    ['that was appended', appended],
    ['that is repeated and appends nothing', repeated],
  ])('%s is in force only once its read model shows it, whatever others do', async (_which, committed) => {
    await expect(readModels(['farmer_profile']).waitUntilInForce(committed, CHANGE)).rejects.toMatchObject({
      message: NOT_SHOWN,
      readModel: 'farmer_profile',
    });
    await expect(readModels(['another']).waitUntilInForce(committed, CHANGE)).resolves.toBeUndefined();
  });

  it('is reported as recorded if a store fails afterwards', async () => {
    const failing = readModels([], () => Promise.reject(new Error('broken')));
    await expect(failing.waitUntilInForce(repeated, CHANGE)).rejects.toThrow(/^The change is recorded, but not yet in force\. A store/);
  });

  it('that is in force by being recorded succeeds in any case, and says whether the read models show it', async () => {
    expect(await readModels(['another']).waitFor(appended)).toBe(false);
    expect(await readModels([]).waitFor(appended)).toBe(true);
    expect(await readModels(['another']).waitFor(repeated)).toBe(true);
  });
});
