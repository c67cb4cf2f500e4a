import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { projections } from '../../../projections/index.js';
import { areReadable } from '../../platform/projecting/start-up.js';

const POLL_MS = 500;

/**
 * Waits until a process with the role `projector` has made every table that this version reads. There is no limit: what is to be built
 * first may take as long as the log is. @throws SteppedDown where a newer version has made them; the signal's reason once it is aborted.
 */
export async function waitForReadModels(pool: Pool, schema: string, say: (text: string) => void, signal: AbortSignal): Promise<void> {
  for (let said = false; !(await areReadable(pool, projections, schema)); said = true) {
    if (!said) say('The read models are not there yet; waiting for a process with the role projector to build them …');
    await delay(POLL_MS, undefined, { signal });
  }
}
