import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { inTransaction } from '../../database/pool.js';
import { clearFault, readCheckpoints, highest, positionOf } from '../checkpoints.js';

const POLL_MS = 100;

/** The outcome of retrying a faulted projection; `waiting` means that it has not caught up within the time limit. */
export type RetryOutcome =
  | { readonly kind: 'not_faulted' }
  | { readonly kind: 'caught_up' }
  | { readonly kind: 'faulted_again'; readonly fault: string }
  | { readonly kind: 'waiting' };

/**
 * Clears the fault of a projection, so that it continues after its last applied event, and waits up to `timeoutMs` until it has caught up
 * with the others. An aborted `signal` ends the wait; the projection goes on.
 */
export async function retry(pool: Pool, name: string, timeoutMs: number, signal?: AbortSignal): Promise<RetryOutcome> {
  const target = await catchUpTarget(pool, name);
  if (!(await inTransaction(pool, (client) => clearFault(client, name)))) return { kind: 'not_faulted' };
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    await delay(POLL_MS);
    signal?.throwIfAborted();
    const now = (await readCheckpoints(pool)).get(name);
    if (now?.fault != null) return { kind: 'faulted_again', fault: now.fault };
    if (positionOf(now) >= target) return { kind: 'caught_up' };
  }
  return { kind: 'waiting' };
}

/** Returns the position of the faulted event or of the most advanced other projection, whichever is higher. */
async function catchUpTarget(pool: Pool, name: string): Promise<bigint> {
  const known = await readCheckpoints(pool);
  return highest(
    [...known.values()].map(({ projection, position, fault_position }) =>
      positionOf({ position: projection === name ? fault_position : position }),
    ),
  );
}
