import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { type CommandResult } from '../../event-sourcing/writing/batch.js';
import { type DomainEvent } from '../../event-sourcing/decider.js';
import { EventStore } from '../../event-sourcing/event-store.js';
import { POOL } from '../../injection-tokens.js';
import { LEASE_MS, announceDirectoryChange, directoryVersion, type InstanceRow } from './directory-lease.js';
import { type Change, orNotYetInForce, REPEAT, untilShown } from './in-force.js';
import { ReadModelListener } from './read-model-listener.js';

/** Milliseconds after which an instance that has not confirmed cannot have a valid lease any more. */
const UNCONFIRMED_MS = LEASE_MS + 250;
const FIRST_POLL_MS = 2;
const MAX_POLL_MS = 50;

/** Waits until a change of partners, API keys or prices is in force on every instance (decisions, "Checks"). */
@Injectable()
export class DirectoryChanges {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly listener: ReadModelListener,
  ) {}

  /**
   * Waits until no instance uses the state before the last event of the stream. A repeated command, which appends nothing, waits as well.
   * @throws NotYetInForce if the read model does not show it in time, or a store does not respond
   */
  async waitFor(committed: CommandResult<unknown, DomainEvent>, change: Change): Promise<void> {
    const { eventStore, listener } = this;
    await orNotYetInForce(change.next ?? REPEAT, async () => {
      if (await untilShown({ eventStore, listener }, committed, change)) await confirmed(this.pool);
    });
  }

  /** Makes a change like {@link announceToAll}. @throws NotYetInForce if PostgreSQL does not respond */
  async announce(change?: () => Promise<void>): Promise<void> {
    await announceToAll(this.pool, change);
  }
}

/**
 * Makes a change that no projector applies, and waits until it is in force on every instance.
 * @param change commits the change together with a new version of the directory; by default a new version alone, for a change that the
 *   event log has and that instances read there
 * @throws NotYetInForce if PostgreSQL does not respond
 */
export async function announceToAll(pool: Pool, change = () => announceDirectoryChange(pool)): Promise<void> {
  await orNotYetInForce(REPEAT, async () => {
    await change();
    await confirmed(pool);
  });
}

async function confirmed(pool: Pool): Promise<void> {
  const version = await directoryVersion(pool);
  const since = performance.now();
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
    const { rows } = await pool.query<Pick<InstanceRow, 'instance_id'>>('select instance_id from ops.instance where version < $1', [
      version,
    ]);
    if (rows.length === 0) return;
    if (performance.now() - since >= UNCONFIRMED_MS) {
      // These instances are dead, or their caches have expired. They register again before they use a cache.
      await pool.query('delete from ops.instance where version < $1 and instance_id = any($2)', [
        version,
        rows.map(({ instance_id }) => instance_id),
      ]);
      return;
    }
    await delay(pollMs);
  }
}
