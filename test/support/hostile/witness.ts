import { EventStoreDBClient, jsonEvent, START } from '@eventstore/db-client';
import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';

/** A client that does as it should, and remembers what was acknowledged to it. */
export class Witness {
  private readonly stream = `witness-${randomUUID()}`;
  private acknowledged = 0;

  constructor(private readonly connectionString: string) {}

  /** A new client appends, is told of it by a subscription, and reads all that was ever acknowledged. */
  async isServed(): Promise<void> {
    const client = EventStoreDBClient.connectionString(this.connectionString);
    try {
      const { nextExpectedRevision } = await client.appendToStream(
        this.stream,
        jsonEvent({ type: 'Noted', data: { number: this.acknowledged } }),
      );
      expect(nextExpectedRevision).toBe(BigInt(this.acknowledged));
      this.acknowledged += 1;
      expect(await this.told(client)).toStrictEqual(this.numbers());
      expect(await this.read(client)).toStrictEqual(this.numbers());
    } finally {
      await client.dispose();
    }
  }

  private numbers(): number[] {
    return Array.from({ length: this.acknowledged }, (_, number) => number);
  }

  private async told(client: EventStoreDBClient): Promise<number[]> {
    const told: number[] = [];
    const subscription = client.subscribeToStream(this.stream, { fromRevision: START });
    for await (const { event } of subscription) {
      told.push((event?.data as { number: number }).number);
      if (told.length === this.acknowledged) break;
    }
    return told;
  }

  private async read(client: EventStoreDBClient): Promise<number[]> {
    const read: number[] = [];
    for await (const { event } of client.readStream(this.stream)) read.push((event?.data as { number: number }).number);
    return read;
  }
}
