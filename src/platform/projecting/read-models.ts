import { Injectable } from '@nestjs/common';
import { type Committed } from '../event-sourcing/batch.js';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { ReadModelListener } from './read-model-listener.js';

/** Rare writes answer once their projection shows them, at most after this long, in ms. */
const SHOWN_TIMEOUT_MS = 10_000;

/** Read your writes, on any instance. */
@Injectable()
export class ReadModels {
  constructor(
    private readonly eventStore: EventStore,
    private readonly listener: ReadModelListener,
  ) {}

  /** Waits until the read models show what was committed. */
  async show(committed: Committed<unknown, DomainEvent>): Promise<void> {
    if (committed.position !== undefined) await this.listener.waitFor(committed.position, SHOWN_TIMEOUT_MS);
  }

  /** Waits (2 s at most) until the read models show everything that is in the stream by now. */
  async showStream(stream: string): Promise<void> {
    const last = await this.eventStore.lastEvent(stream);
    if (last) await this.listener.waitFor(last.position);
  }

  /** Waits until the read models show all that is in the log by now, up to `timeoutMs`. Answers whether they do. */
  async showAll(timeoutMs = 60_000): Promise<boolean> {
    const head = await this.eventStore.headPosition();
    return head === undefined || (await this.listener.waitFor(head, timeoutMs));
  }
}
