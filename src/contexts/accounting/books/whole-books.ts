import { type Pool } from 'pg';
import { EventSetAside } from '../../../platform/event-sourcing/coding/unusable-event.js';
import { assertNoneForged } from '../../../platform/projecting/forged-rows.js';
import { type Projection } from '../../../platform/projecting/projection.js';
import { unusableEvents } from '../../../platform/unusable-events/unusable-table.js';

/** The categories of the streams that decide what the books of a mode are. */
const NEEDED = ['wallet', 'ledger', 'partner'];

/**
 * Refuses what sums up the books while a sum may differ from the log: nobody sees in a sum which entry it lacks (evidence, "Events that
 * nobody here wrote").
 * @param readModels the read models that are summed up
 * @throws EventSetAside if an event of the books waits for an operator's decision; RowForged if a row was noticed to differ from the log
 */
export async function assertBooksWhole(pool: Pool, readModels: readonly Projection[]): Promise<void> {
  const left = (await unusableEvents(pool)).find(({ category }) => NEEDED.includes(category));
  if (left) throw new EventSetAside(left, 'every event of the books');
  await assertNoneForged(pool, readModels);
}
