import { type Pool } from 'pg';
import { refuseForeignLog } from '../../platform/projecting/logs/foreign-log.js';
import { type Projection } from '../../platform/projecting/projection.js';
import { rebuild, type RebuildResult, withRebuildLock } from '../../platform/projecting/rebuilding/rebuild.js';
import { retry } from '../../platform/projecting/applying/retry.js';
import { type ShadowParts } from '../../platform/projecting/rebuilding/shadow.js';
import { type VerificationResult, verify } from '../../platform/projecting/rebuilding/verify.js';

// The work on read models that `rupa projections` and the jobs of administrators share.

export const SCHEMA = 'read';
const CATCH_UP_MS = 600_000;

/**
 * Rebuilds read models in shadow tables and swaps them with the live ones.
 * @param onWaiting called if another process is rebuilding, which this call waits for
 * @throws Error if the database belongs to another log, or a read model cannot apply an event; the live tables are then unchanged
 */
export async function rebuildReadModels(parts: ShadowParts, picked: readonly Projection[], onWaiting?: () => void): Promise<RebuildResult> {
  await refuseForeignLog(parts.pool, parts.eventStore);
  return await withRebuildLock(parts, () => rebuild(parts, picked, SCHEMA), onWaiting);
}

/** Compares every row of the live tables with tables that are rebuilt from the log. @throws Error if a read model is faulted */
export async function verifyReadModels(parts: ShadowParts, picked: readonly Projection[]): Promise<VerificationResult[]> {
  return await verify(parts, picked, SCHEMA);
}

/**
 * Makes a faulted read model resume, and waits up to ten minutes until it has caught up. Returns the result as a sentence.
 * @throws Error if it faults again or does not catch up in time, or the signal's reason
 */
export async function retryReadModel(pool: Pool, name: string, signal?: AbortSignal): Promise<string> {
  const outcome = await retry(pool, name, CATCH_UP_MS, signal);
  switch (outcome.kind) {
    case 'not_faulted':
      return `${name} is not faulted; nothing to do.`;
    case 'caught_up':
      return `${name} has resumed and caught up with the other read models.`;
    case 'waiting':
      throw new Error(
        `${name} is not faulted any more, but has not caught up yet. Check that a projector runs, and watch: rupa projections status`,
      );
    case 'faulted_again':
      throw new Error(`${name} faulted again: ${outcome.fault}`);
  }
}
