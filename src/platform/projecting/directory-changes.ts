import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { type CommandResult } from '../event-sourcing/batch.js';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { POOL } from '../injection-tokens.js';
import { LEASE_MS } from './directory-lease.js';
import { directoryVersion } from './directory-version.js';
import { NotYetInForce } from './not-yet-in-force.js';
import { ReadModelListener } from './read-model-listener.js';

/** Milliseconds that a change waits at most for the read models. */
const SHOWN_TIMEOUT_MS = 10_000;
/** Milliseconds after which an instance that has not confirmed cannot have a valid lease any more. */
const UNCONFIRMED_MS = LEASE_MS + 250;
const FIRST_POLL_MS = 2;
const MAX_POLL_MS = 50;

const REPEAT = 'Send the same request again to check that.';

export interface Change {
  /** The stream whose last event is the change. */
  readonly stream: string;
  /** The name of the read model that shows the change. */
  readonly readModel: string;
  /** Tells the caller in a sentence how to go on if the change is not in force in time; by default, to repeat the request. */
  readonly next?: string;
}

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
  async waitFor({ position }: CommandResult<unknown, DomainEvent>, { stream, readModel, next = REPEAT }: Change): Promise<void> {
    await honestly(next, async () => {
      const shown = position ?? (await this.eventStore.lastEvent(stream))?.position;
      if (shown === undefined) return;
      if (!(await this.listener.waitFor(shown, SHOWN_TIMEOUT_MS)) || !(await this.isShown(shown, readModel)))
        throw new NotYetInForce('The read models do not show it yet.', next);
      await this.confirmed();
    });
  }

  /**
   * Makes a change that no projector applies, and waits until it is in force on every instance.
   * @param change commits the change together with a new version of the directory
   * @throws NotYetInForce if PostgreSQL does not respond
   */
  async announce(change: () => Promise<void>): Promise<void> {
    await honestly(REPEAT, async () => {
      await change();
      await this.confirmed();
    });
  }

  /** A faulted read model, and one that catches up after a fault, does not count in the position that the listener waits for. */
  private async isShown(position: bigint, readModel: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('select from ops.checkpoint where projection = $1 and fault is null and position >= $2', [
      readModel,
      position.toString(),
    ]);
    return rowCount === 1;
  }

  private async confirmed(): Promise<void> {
    const version = await directoryVersion(this.pool);
    const since = performance.now();
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
      const { rows } = await this.pool.query<{ instance_id: string }>('select instance_id from ops.instance where version < $1', [version]);
      if (rows.length === 0) return;
      if (performance.now() - since >= UNCONFIRMED_MS) {
        // These instances are dead, or their caches have expired. They register again before they use a cache.
        await this.pool.query('delete from ops.instance where version < $1 and instance_id = any($2)', [
          version,
          rows.map(({ instance_id }) => instance_id),
        ]);
        return;
      }
      await delay(pollMs);
    }
  }
}

/** Turns every failure after the append into the statement that the change is recorded. */
async function honestly(next: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof NotYetInForce ? error : new NotYetInForce('A store does not respond.', next, { cause: error });
  }
}
