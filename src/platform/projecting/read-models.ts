import { Injectable } from '@nestjs/common';
import { type CommandResult } from '../event-sourcing/batch.js';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { ReadModelListener } from './read-model-listener.js';

/** Milliseconds that the response to a rare write waits at most for the read models. */
const SHOWN_TIMEOUT_MS = 10_000;

/** Waits for the read models, so that a caller reads its own writes on every instance. */
@Injectable()
export class ReadModels {
  constructor(
    private readonly eventStore: EventStore,
    private readonly listener: ReadModelListener,
  ) {}

  /** Waits until the read models show the committed events, 10 s at most. */
  async waitFor(committed: CommandResult<unknown, DomainEvent>): Promise<void> {
    if (committed.position !== undefined) await this.listener.waitFor(committed.position, SHOWN_TIMEOUT_MS);
  }

  /** Waits until the read models show the stream's current last event, 2 s at most. */
  async waitForStream(stream: string): Promise<void> {
    const last = await this.eventStore.lastEvent(stream);
    if (last) await this.listener.waitFor(last.position);
  }

  /** Waits up to `timeoutMs` until the read models show the current last event of the log. Returns whether they do. */
  async waitForAll(timeoutMs = 60_000): Promise<boolean> {
    const head = await this.eventStore.headPosition();
    return head === undefined || (await this.listener.waitFor(head, timeoutMs));
  }
}
