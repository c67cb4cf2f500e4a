import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { inTransaction } from '../database/pool.js';
import { clearFault, readCheckpoints } from './checkpoints.js';
import { most, positionOf } from './positions.js';

const POLL_MS = 100;

/** What became of a faulted projection that was told to go on. */
export type Retried =
  | { readonly kind: 'not_faulted' }
  | { readonly kind: 'level' }
  | { readonly kind: 'faulted_again'; readonly fault: string }
  | { readonly kind: 'waiting' };

/** Lets a faulted projection go on from where it stopped, and waits until it is level with the rest, up to `timeoutMs`. */
export async function retry(pool: Pool, name: string, timeoutMs: number): Promise<Retried> {
  const others = await front(pool, name);
  if (!(await inTransaction(pool, (client) => clearFault(client, name)))) return { kind: 'not_faulted' };
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    await delay(POLL_MS);
    const now = (await readCheckpoints(pool)).get(name);
    if (now?.fault != null) return { kind: 'faulted_again', fault: now.fault };
    if (positionOf(now) >= others) return { kind: 'level' };
  }
  return { kind: 'waiting' };
}

/** The faulted event itself, or where the farthest of the rest is. */
async function front(pool: Pool, name: string): Promise<bigint> {
  const known = await readCheckpoints(pool);
  return most(
    [...known.values()].map(({ projection, position, fault_position }) =>
      positionOf({ position: projection === name ? fault_position : position }),
    ),
  );
}
