import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { type AppendResult, type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { Appender } from './appender.js';

const events = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    id: String(index),
    type: 'Happened',
    data: {},
    metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 },
  }));

/** Creates an event store whose appends complete when the test calls `done`. */
function slowStore(resultOf: (stream: string) => AppendResult) {
  const open: { readonly stream: string; readonly at: bigint; readonly count: number; readonly done: () => void }[] = [];
  const append = (stream: string, { length }: readonly NewEvent[], at: bigint): Promise<AppendResult> =>
    new Promise((resolve) => {
      open.push({
        stream,
        at,
        count: length,
        done: () => {
          resolve(resultOf(stream));
        },
      });
    });
  return { open, eventStore: { append } as unknown as EventStore };
}

const appended = (): AppendResult => ({ kind: 'appended', revision: 0n, position: 0n });

describe('the appender', () => {
  it('appends to streams concurrently, and to one stream in order and in chunks', async () => {
    const { open, eventStore } = slowStore(appended);
    let done = 0;
    const appender = new Appender(eventStore, (count) => (done += count));
    await appender.add({ stream: 'a', expectedRevision: -1n, events: events(300) });
    await appender.add({ stream: 'a', expectedRevision: 299n, events: events(1) });
    await appender.add({ stream: 'b', expectedRevision: -1n, events: events(2) });
    const sent: unknown[] = [];
    while (done < 303) {
      const next = open.shift();
      if (next) sent.push([next.stream, next.at, next.count]);
      next?.done();
      await turn();
    }
    await appender.finish();
    expect(sent).toStrictEqual([
      ['a', -1n, 256],
      ['b', -1n, 2],
      ['a', 255n, 44],
      ['a', 299n, 1],
    ]);
  });

  it('waits while too many streams are in flight, and throws the first failure', async () => {
    const { open, eventStore } = slowStore((stream) => (stream === 's3' ? { kind: 'wrong_revision' } : appended()));
    const appender = new Appender(eventStore, () => undefined);
    for (let index = 0; index < 512; index += 1) await appender.add({ stream: `s${index}`, expectedRevision: -1n, events: events(1) });
    let added = false;
    const adding = appender.add({ stream: 'more', expectedRevision: -1n, events: events(1) }).then(() => (added = true));
    await turn();
    expect(added).toBe(false);
    open[0]?.done();
    await adding;
    open[3]?.done();
    await expect(appender.finish()).rejects.toThrow(/Another process writes to s3/);
    await expect(appender.add({ stream: 'last', expectedRevision: -1n, events: events(1) })).rejects.toThrow(/Another process/);
  });
});
