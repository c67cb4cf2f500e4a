import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { projections } from '../../../projections/index.js';
import { areReadable } from '../../platform/projecting/applying/start-up.js';

const POLL_MS = 500;

/**
 * Waits until a process with the role `projector` has built every table that this version reads. There is no time limit, because a build
 * from scratch reads the whole log.
 * @throws SteppedDown if a newer version has built the tables; the reason of `signal` once that is aborted
 */
export async function waitForReadModels(pool: Pool, schema: string, say: (text: string) => void, signal: AbortSignal): Promise<void> {
  for (let announced = false; !(await areReadable(pool, projections, schema)); announced = true) {
    if (!announced) say('The read models do not exist yet; waiting for a process with the role projector to build them …');
    await delay(POLL_MS, undefined, { signal });
  }
}
