import { EventStoreDBClient, jsonEvent, START } from '@eventstore/db-client';
import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';

/** A well-behaved client that remembers which of its appends were acknowledged. */
export class Witness {
  private readonly stream = `witness-${randomUUID()}`;
  private acknowledged = 0;

  constructor(private readonly connectionString: string) {}

  /** Appends with a new client, and expects both a subscription and a read to return everything acknowledged so far. */
  async isServed(): Promise<void> {
    const client = EventStoreDBClient.connectionString(this.connectionString);
    try {
      const { nextExpectedRevision } = await client.appendToStream(
        this.stream,
        jsonEvent({ type: 'Noted', data: { number: this.acknowledged } }),
      );
      expect(nextExpectedRevision).toBe(BigInt(this.acknowledged));
      this.acknowledged += 1;
      expect(await this.received(client)).toStrictEqual(this.numbers());
      expect(await this.read(client)).toStrictEqual(this.numbers());
    } finally {
      await client.dispose();
    }
  }

  private numbers(): number[] {
    return Array.from({ length: this.acknowledged }, (_, number) => number);
  }

  private async received(client: EventStoreDBClient): Promise<number[]> {
    const received: number[] = [];
    const subscription = client.subscribeToStream(this.stream, { fromRevision: START });
    for await (const { event } of subscription) {
      received.push((event?.data as { number: number }).number);
      if (received.length === this.acknowledged) break;
    }
    return received;
  }

  private async read(client: EventStoreDBClient): Promise<number[]> {
    const read: number[] = [];
    for await (const { event } of client.readStream(this.stream)) read.push((event?.data as { number: number }).number);
    return read;
  }
}
