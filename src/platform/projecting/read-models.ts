import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type CommandResult } from '../event-sourcing/writing/batch.js';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { POOL } from '../injection-tokens.js';
import { refuseSetAside } from '../unusable-events/unusable-table.js';
import { type Change, honestly, REPEAT, SHOWN_TIMEOUT_MS, untilShown } from './in-memory/in-force.js';
import { ReadModelListener } from './in-memory/read-model-listener.js';

/**
 * Waits for the read models, so that a caller reads its own writes on every instance. If they do not show a change in time, the response
 * depends on what the change needs to be in force:
 *
 * - The log alone, or the response cannot be given again: credits, new signing secrets. The response is a success, because it
 *   states what is recorded; an error would make the caller repeat what has been done. These commands call `waitFor`. For reports, the reads
 *   wait (read-your-writes.ts).
 * - A read model, and repeating the request does nothing twice: farmers' records, consents, settings of endpoints. The response is a 503
 *   that says that the change is recorded and not yet in force. These commands call `waitUntilInForce`.
 * - The caches of all instances: partners, keys, prices. They call `DirectoryChanges.waitFor`, which responds like the second kind.
 */
@Injectable()
export class ReadModels {
  constructor(
    private readonly eventStore: EventStore,
    private readonly listener: ReadModelListener,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  /** Waits until the read models show the committed events, 10 s at most. Returns whether they do. */
  async waitFor(committed: CommandResult<unknown, DomainEvent>): Promise<boolean> {
    return committed.position === undefined || (await this.listener.waitFor(committed.position, SHOWN_TIMEOUT_MS));
  }

  /**
   * Waits until a change that acts through a read model is in force. A repeated command, which appends nothing, waits as well.
   * @throws NotYetInForce if the read model does not show it in time, or a store does not respond
   */
  async waitUntilInForce(committed: CommandResult<unknown, DomainEvent>, change: Change): Promise<void> {
    const { pool, eventStore, listener } = this;
    await honestly(change.next ?? REPEAT, async () => {
      await untilShown({ pool, eventStore, listener }, committed, change);
    });
  }

  /**
   * Waits until the read models show the stream's current last event, 2 s at most. Returns whether they do.
   * @throws EventSetAside if they leave out an event of the stream that cannot be used
   */
  async waitForStream(stream: string): Promise<boolean> {
    const last = await this.eventStore.lastEvent(stream);
    const isShown = last === undefined || (await this.listener.waitFor(last.position));
    if (last) await refuseSetAside(this.pool, [stream]);
    return isShown;
  }

  /** Waits up to `timeoutMs` until the read models show the current last event of the log. Returns whether they do. */
  async waitForAll(timeoutMs = 60_000): Promise<boolean> {
    const head = await this.eventStore.headPosition();
    return head === undefined || (await this.listener.waitFor(head, timeoutMs));
  }
}
