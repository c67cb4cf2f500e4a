import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type StreamAppend } from './round.js';

/** Streams with concurrent appends. */
const STREAMS_IN_FLIGHT = 512;
const EVENTS_PER_APPEND = 256;

/** Keeps many appends in flight. Appends of one stream run one after another, in the order in which they were added. */
export class Appender {
  private readonly last = new Map<string, Promise<void>>();
  private inFlight = 0;
  private failure: Error | undefined;
  private wake = (): void => undefined;

  constructor(
    private readonly eventStore: EventStore,
    private readonly onAppended: (events: number) => void,
  ) {}

  /** Waits until few enough appends are in flight, and starts this one. Calls must not overlap. @throws the error of an earlier append. */
  async add(append: StreamAppend): Promise<void> {
    await this.until(() => this.inFlight < STREAMS_IN_FLIGHT);
    const { stream, events } = append;
    const before = this.last.get(stream);
    this.inFlight += 1;
    const sent = (before ? before.then(() => this.send(append)) : this.send(append))
      .then(() => {
        this.onAppended(events.length);
      })
      .catch((error: unknown) => {
        this.failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        if (this.last.get(stream) === sent) this.last.delete(stream);
        this.inFlight -= 1;
        this.wake();
      });
    this.last.set(stream, sent);
  }

  /** Waits until all events are on disk. @throws the error of the first append that failed. */
  async finish(): Promise<void> {
    await this.until(() => this.inFlight === 0);
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.failure) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (this.failure) throw this.failure;
  }

  private async send({ stream, expectedRevision, events }: StreamAppend): Promise<void> {
    for (let from = 0; from < events.length && !this.failure; from += EVENTS_PER_APPEND) {
      const { kind } = await this.eventStore.append(stream, events.slice(from, from + EVENTS_PER_APPEND), expectedRevision + BigInt(from));
      if (kind === 'wrong_revision')
        throw new Error(`Another process writes to ${stream}, so the history in the log is incomplete. Start again with an empty log.`);
    }
  }
}
