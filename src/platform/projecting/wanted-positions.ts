import { type ClientBase } from 'pg';

/** Notification channel on which readers name the position in the log that they wait for the read models to show. */
export const WANTED_CHANNEL = 'rupa_wanted';

/** Tells the projector that a reader waits for a position, so that it writes its batch at once. */
export async function announceWanted(client: Pick<ClientBase, 'query'>, position: bigint): Promise<void> {
  await client.query('select pg_notify($1, $2)', [WANTED_CHANNEL, position.toString()]);
}

/** Sends the positions that the readers of a process wait for, one statement at a time: those that come meanwhile share the next one. */
export class WantedSender {
  private next: bigint | undefined;
  private sending = false;

  /** @param send may fail: a reader whose wish was not heard waits for the batch like any other */
  constructor(private readonly send: (position: bigint) => Promise<void>) {}

  want(position: bigint): void {
    if (this.next === undefined || this.next < position) this.next = position;
    if (!this.sending) void this.sendAll();
  }

  private async sendAll(): Promise<void> {
    this.sending = true;
    try {
      while (this.next !== undefined) {
        const position = this.next;
        this.next = undefined;
        await this.send(position);
      }
    } catch {
      this.next = undefined;
    } finally {
      this.sending = false;
    }
  }
}

/** The highest position that a reader is known to wait for; the projector does not keep events up to it waiting. */
export class WantedPositions {
  private highest = -1n;
  private readonly listeners = new Set<() => void>();

  get upTo(): bigint {
    return this.highest;
  }

  /** @param payload what {@link announceWanted} sent; anything else is passed over */
  heard(payload: string | undefined): void {
    if (payload === undefined || !/^\d{1,19}$/.test(payload)) return;
    const position = BigInt(payload);
    if (position <= this.highest) return;
    this.highest = position;
    for (const listener of this.listeners) listener();
  }

  /** Calls the listener for each higher position, until the returned function is called. */
  onHigher(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
