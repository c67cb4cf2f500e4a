import { ANY, type AppendExpectedRevision, type EventStoreDBClient, jsonEvent, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { eachInTime } from '../support/in-time.js';
import { newStream, PLAIN, type StoreClient, storeClient } from '../support/store-under-test.js';

let store: StoreClient;
let client: EventStoreDBClient;

beforeAll(async () => {
  store = await storeClient();
  ({ client } = store);
});
afterAll(() => store.stop());

/** The same rules as a minimal model: the ids of each stream, and the place of each id, which is its first. */
class Model {
  private readonly streams = new Map<string, string[]>();
  private readonly places = new Map<string, { readonly stream: string; readonly revision: number }>();

  idsOf(stream: string): readonly string[] {
    return this.streams.get(stream) ?? [];
  }

  /** @returns the revision; or whether the append is refused, or never answered */
  append(stream: string, expected: AppendExpectedRevision, ids: readonly string[]): bigint | 'wrong' | 'no response' {
    const stored = this.idsOf(stream);
    const last = stored.length - 1;
    if (expected === ANY || expected === STREAM_EXISTS) {
      if (expected === STREAM_EXISTS && last < 0) return 'wrong';
      const known = ids.map((id) => this.places.get(id)).map((place) => (place?.stream === stream ? place.revision : undefined));
      const [first, end] = [known[0], known.at(-1)];
      if (first !== undefined) return end === undefined || known.includes(undefined) ? 'wrong' : end < first ? 'no response' : BigInt(end);
    } else {
      const before = expected === NO_STREAM ? -1 : Number(expected);
      if (before > last) return 'wrong';
      if (before < last) return ids.every((id, index) => stored[before + 1 + index] === id) ? BigInt(before + ids.length) : 'wrong';
    }
    this.streams.set(stream, [...stored, ...ids]);
    for (const [index, id] of ids.entries()) if (!this.places.has(id)) this.places.set(id, { stream, revision: last + 1 + index });
    return BigInt(last + ids.length);
  }
}

async function idsOf(stream: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { event } of eachInTime(client.readStream(stream))) if (event) ids.push(event.id);
  return ids;
}

describe('any sequence of appends', () => {
  it('has the result that the model predicts', async () => {
    const expectation = fc.oneof(fc.constantFrom<AppendExpectedRevision>(ANY, NO_STREAM, STREAM_EXISTS), fc.bigInt(0n, 6n));
    const step = fc.record({
      stream: fc.constantFrom('a', 'b'),
      expected: expectation,
      ids: fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }),
      isPlain: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const streams = { a: newStream(), b: newStream() };
        const pool = Array.from({ length: 5 }, () => randomUUID());
        const model = new Model();
        for (const { stream, expected, ids: numbers, isPlain } of steps) {
          const ids = numbers.map((number) => pool[number] ?? '');
          const predicted = model.append(streams[stream], expected, ids);
          if (predicted === 'no response') continue;
          const options = isPlain ? PLAIN : {};
          const events = ids.map((id) => jsonEvent({ id, type: 'Tested', data: { amount_kobo: 1 } }));
          const result = await client.appendToStream(streams[stream], events, { expectedRevision: expected, ...options }).then(
            ({ nextExpectedRevision }) => nextExpectedRevision,
            (error: unknown) => ((error as { type?: string }).type === 'wrong-expected-version' ? 'wrong' : error),
          );
          expect(result).toEqual(predicted);
        }
        for (const stream of Object.values(streams))
          if (model.idsOf(stream).length > 0) expect(await idsOf(stream)).toEqual(model.idsOf(stream));
      }),
      { numRuns: 60 },
    );
  });
});
