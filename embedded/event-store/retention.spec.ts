import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Append, EventLog } from './storing/log.js';
import { JSON_TYPE, type ProposedEvent, streamOf, typeOf } from './serving/wire.js';

let path: string;
let log: EventLog;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'rupa-retention-'));
  log = EventLog.open(path);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await log.close();
  await rm(path, { recursive: true, force: true });
});

const STREAM = Buffer.from('wallet-1');
const METADATA = Buffer.from('$$wallet-1');

function event(data: object = {}): ProposedEvent {
  return {
    id: randomUUID(),
    type: Buffer.from('Happened'),
    contentType: JSON_TYPE,
    data: Buffer.from(JSON.stringify(data)),
    customMetadata: Buffer.alloc(0),
  };
}
const append = (over: Partial<Append> = {}) => log.append({ stream: STREAM, expected: { kind: 'any' }, events: [event()], ...over });
const setMetadata = (data: object) => append({ stream: METADATA, events: [event(data)] });

/** The revisions that a reader sees; undefined for a stream that looks as if it had never been. */
function shown(): number[] | undefined {
  const newest = log.lastRevision(STREAM);
  if (newest < 0) return undefined;
  const first = log.firstRevision(STREAM);
  return Array.from({ length: newest - first + 1 }, (_, index) => first + index);
}

describe('metadata of a stream', () => {
  it('hides what is before $tb and what exceeds $maxCount, from readers of the stream only, also after a restart', async () => {
    const limits = fc.record({ $tb: fc.nat({ max: 8 }), $maxCount: fc.integer({ min: -1, max: 8 }) }, { requiredKeys: [] });
    await append({ events: [event(), event(), event(), event(), event()] });
    await fc.assert(
      fc.asyncProperty(limits, fc.boolean(), async (metadata, restarts) => {
        await setMetadata(metadata);
        if (restarts) {
          await log.close();
          log = EventLog.open(path);
        }
        const { $tb = 0, $maxCount = 0 } = metadata;
        const first = Math.max($tb, $maxCount > 0 ? 5 - $maxCount : 0);
        expect(shown()).toStrictEqual([0, 1, 2, 3, 4].filter((revision) => revision >= first));
        expect(log.readAll(1, 5).map(({ bytes }) => streamOf(bytes))).toStrictEqual(Array(5).fill('wallet-1'));
      }),
      { numRuns: 15 },
    );
  });

  it('hides events that are older than $maxAge', async () => {
    // Two reads of the real clock can be the same millisecond, in which nothing is older than any age.
    const appended = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(appended);
    await append({ events: [event(), event()] });
    await setMetadata({ $maxAge: 3_600 });
    clock.mockReturnValue(appended + 3_600_000);
    expect(shown()).toStrictEqual([0, 1]);
    clock.mockReturnValue(appended + 3_600_001);
    expect(shown()).toStrictEqual([]);
  });
});

describe('a deleted stream', () => {
  const remove = (removal: 'deletion' | 'tombstone') => append({ events: [], removal });

  it('looks as if it had never been, and shows the events that are appended from then on', async () => {
    await append({ events: [event(), event()] });
    await remove('deletion');
    expect(shown()).toBeUndefined();
    expect(await append({ expected: { kind: 'exact', revision: 0n } })).toStrictEqual({ kind: 'wrong_revision', current: 1 });
    expect(await append({ expected: { kind: 'no_stream' } })).toMatchObject({ kind: 'appended', revision: 2 });
    expect(shown()).toStrictEqual([2]);
  });

  it('gets $tb in the first metadata that is written, and is whole after the second', async () => {
    await append({ events: [event(), event()] });
    await remove('deletion');
    await setMetadata({ $tb: 0 });
    expect(shown()).toStrictEqual([]);
    await setMetadata({ $tb: 0 });
    expect(shown()).toStrictEqual([0, 1]);
  });

  it('takes and shows nothing once it was ended for good, also after a restart, and stays in $all', async () => {
    await append();
    await remove('tombstone');
    for (let start = 0; start < 2; start += 1) {
      expect(log.isTombstoned(STREAM)).toBe(true);
      expect([await append(), await remove('deletion'), await remove('tombstone')]).toStrictEqual(
        Array(3).fill({ kind: 'stream_deleted' }),
      );
      expect(log.readAll(1, log.head).map(({ bytes }) => typeOf(bytes))).toStrictEqual(['Happened', '$streamDeleted']);
      await log.close();
      log = EventLog.open(path);
    }
  });
});
