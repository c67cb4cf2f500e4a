import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type TimedRawEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type EvidenceOptions, EvidenceLog } from './evidence-log.js';

const CREATED = Date.parse('2026-03-09T14:30:00.012Z');

function event(position: number, data: string | Buffer = '{"a":1}'): TimedRawEvent {
  return {
    id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
    stream: 'ids-main',
    revision: BigInt(position),
    position: BigInt(position),
    type: 'IdsReserved',
    createdMs: CREATED,
    data: Buffer.from(data),
    metadata: Buffer.from('{}'),
  };
}

class FakeLog {
  reads: (bigint | undefined)[] = [];

  constructor(readonly events: readonly TimedRawEvent[]) {}

  headPosition(): Promise<bigint | undefined> {
    return Promise.resolve(this.events.at(-1)?.position);
  }

  exactPage(after: bigint | undefined, maxCount: number) {
    this.reads.push(after);
    const events = this.events.filter(({ position }) => after === undefined || position > after).slice(0, maxCount);
    return Promise.resolve({ events, next: events.at(-1)?.position });
  }
}

async function textOf(log: EvidenceLog, options: EvidenceOptions): Promise<string> {
  let text = '';
  for await (const lines of log.lines(options)) text += lines;
  return text;
}

const linesOf = async (log: EvidenceLog, from: number): Promise<{ index: number; revision: number }[]> =>
  (await textOf(log, { from }))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { index: number; revision: number });

describe('the evidence file', () => {
  it('has a line per event with its index, time and exact texts', async () => {
    const text = await textOf(new EvidenceLog(new FakeLog([event(7, '{ "name" : "A\u2028\u00e9" }')])), { from: 0 });
    expect(text).toBe(
      '{"index":0,"stream":"ids-main","revision":7,"type":"IdsReserved","id":"00000000-0000-4000-8000-000000000007","created":"2026-03-09T14:30:00.012Z","data":"{ \\"name\\" : \\"A\\u2028\u00e9\\" }","metadata":"{}"}\n',
    );
  });

  it('has bytes that are not UTF-8 in base64', async () => {
    const [line = ''] = (await textOf(new EvidenceLog(new FakeLog([event(0, Buffer.of(0x22, 0xff, 0x22))])), { from: 0 })).split('\n');
    expect(JSON.parse(line)).toMatchObject({ data_base64: 'Iv8i', metadata: '{}' });
    expect(line).not.toContain('"data"');
  });

  it('returns every text unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const [line = ''] = (await textOf(new EvidenceLog(new FakeLog([event(0, text)])), { from: 0 })).split('\n');
        expect((JSON.parse(line) as { data: string }).data).toBe(text);
      }),
    );
  });

  it('is empty beyond the end of the log, and for an empty log', async () => {
    expect(await linesOf(new EvidenceLog(new FakeLog([event(0)])), 1)).toStrictEqual([]);
    expect(await linesOf(new EvidenceLog(new FakeLog([])), 0)).toStrictEqual([]);
  });

  it('begins at any index, and reads only from a position near it once the log was read', async () => {
    const store = new FakeLog(Array.from({ length: 10_000 }, (_, position) => event(position * 3)));
    const log = new EvidenceLog(store);
    expect((await linesOf(log, 0)).map(({ index }) => index)).toStrictEqual(store.events.map((_, index) => index));
    for (const from of [0, 1, 4_095, 4_096, 4_097, 9_999]) {
      store.reads = [];
      const lines = await linesOf(log, from);
      expect([lines.length, lines[0]]).toMatchObject([10_000 - from, { index: from, revision: from * 3 }]);
      expect(store.reads.length).toBeLessThanOrEqual(Math.ceil((10_000 - from + 4_096) / 250));
    }
  });

  it('ends with the events that were there at the call', async () => {
    const events = [event(0), event(1)];
    const lines = new EvidenceLog(new FakeLog(events)).lines({ from: 0 });
    const first = await lines.next();
    events.push(event(2));
    expect(String(first.value).split('\n')).toHaveLength(3);
    expect(await lines.next()).toMatchObject({ done: true });
  });

  it('is given up once the caller is gone', async () => {
    const log = new EvidenceLog(new FakeLog([event(0)]));
    await expect(textOf(log, { from: 0, signal: AbortSignal.abort() })).rejects.toThrow('The caller had given up.');
  });
});
