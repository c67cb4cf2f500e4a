import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type CommandResult } from '../event-sourcing/writing/batch.js';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { POOL } from '../injection-tokens.js';
import { refuseSetAside } from '../unusable-events/unusable-table.js';
import { type Change, orNotYetInForce, REPEAT, SHOWN_TIMEOUT_MS, untilShown } from './in-memory/in-force.js';
import { logPages } from '../event-sourcing/reading/read-log.js';
import { type Projection } from './projection.js';
import { ReadModelListener } from './in-memory/read-model-listener.js';
import { StoreUnavailable } from '../event-sourcing/event-store-client/store-errors.js';

/** Milliseconds that a list waits at most for what it has to show. */
const READS_WAIT_MS = 2_000;
/** Milliseconds that a document waits, such as a trial balance: nobody would read it with a gap. */
export const DOCUMENT_WAIT_MS = 10_000;

/** Milliseconds that a command waits at most for everything in the log. */
const ALL_WAIT_MS = 60_000;

/** Events that are searched for one that concerns a read model. */
const SEARCHED_MAX = 10_000;

type ReadModel = Pick<Projection, 'name' | 'types'>;

const namesOf = (models: readonly ReadModel[]): string[] => models.map(({ name }) => name);

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
    const { eventStore, listener } = this;
    await orNotYetInForce(change.next ?? REPEAT, async () => {
      await untilShown({ eventStore, listener }, committed, change);
    });
  }

  /**
   * Waits until these read models show the stream's current last event, 2 s at most.
   * @throws ReadModelBehind if one does not, EventSetAside if they leave out an event of the stream that cannot be used
   */
  async waitForStream(stream: string, models: readonly ReadModel[]): Promise<void> {
    const last = await this.eventStore.lastEvent(stream);
    if (!last) return;
    await this.waitForPosition(last.position, namesOf(models));
    await refuseSetAside(this.pool, [stream]);
  }

  /**
   * Waits until these read models show everything in the log that they are made from.
   * @throws ReadModelBehind if one does not in time
   */
  async waitForLog(models: readonly ReadModel[], timeoutMs = READS_WAIT_MS): Promise<void> {
    const head = await this.eventStore.headPosition();
    if (head === undefined || (await this.listener.waitFor(head, READS_WAIT_MS, namesOf(models)))) return;
    // If no projector runs, there may be newer events all the same that do not concern them.
    for (const model of models) {
      const newest = await this.newestOf(model, head);
      if (newest !== undefined) await this.waitForPosition(newest, [model.name], timeoutMs - READS_WAIT_MS);
    }
  }

  /**
   * Returns the position of the newest event up to `head` that the model is made from and does not show, or `head` if it is far behind;
   * undefined if there is none.
   */
  private async newestOf({ name, types }: ReadModel, head: bigint): Promise<bigint | undefined> {
    const shown = this.listener.shownBy(name);
    let newest: bigint | undefined;
    let searched = 0;
    for await (const page of logPages(this.eventStore, shown < 0n ? undefined : shown)) {
      for (const { type, position } of page) if (types.has(type) && position <= head) newest = position;
      searched += page.length;
      if (searched >= SEARCHED_MAX) return head;
      if ((page.at(-1)?.position ?? -1n) >= head) break;
    }
    return newest;
  }

  /** Waits until these read models show the current last event of the log, whatever it is. @throws ReadModelBehind if one does not in time */
  async waitForHead(models: readonly string[], timeoutMs: number): Promise<void> {
    const head = await this.eventStore.headPosition();
    if (head !== undefined) await this.waitForPosition(head, models, timeoutMs);
  }

  /** Waits until these read models show the event at `position`. @throws ReadModelBehind if one does not in time */
  async waitForPosition(position: bigint, models: readonly string[], timeoutMs?: number): Promise<void> {
    if (await this.listener.waitFor(position, timeoutMs, models)) return;
    throw new ReadModelBehind(models.find((model) => !this.listener.hasReached(position, [model])) ?? '');
  }

  /** Waits until the read models without a fault show the current last event of the log. Returns whether they do. */
  async waitForAll(): Promise<boolean> {
    const head = await this.eventStore.headPosition();
    return head === undefined || (await this.listener.waitFor(head, ALL_WAIT_MS));
  }
}

/** A read model does not show everything that a response needs: it is faulted, or its projector is stopped or slow. */
export class ReadModelBehind extends StoreUnavailable {
  override name = 'ReadModelBehind';

  constructor(readonly readModel: string) {
    super(`The read model ${readModel} does not show everything that this call needs yet. Please retry with backoff.`);
  }
}
