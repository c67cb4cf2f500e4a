import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { open } from 'lmdb';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proposedEvent as event } from '../../../test/support/unit/proposed-event.js';
import { type Appended, EventLog } from './log.js';
import { type ProposedEvent } from '../serving/wire.js';

let path: string;
let log: EventLog;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'event-log-'));
  log = EventLog.open(path);
});

afterEach(async () => {
  await log.close();
  await rm(path, { recursive: true, force: true });
});

const events = (count: number): ProposedEvent[] => Array.from({ length: count }, () => event());
const append = async (stream: string, ...events: ProposedEvent[]): Promise<Appended> =>
  await log.append({ stream: Buffer.from(stream), expected: { kind: 'any' }, events });
const appendAt = async (revision: number, stream: string, ...events: ProposedEvent[]): Promise<Appended> =>
  await log.append({ stream: Buffer.from(stream), expected: { kind: 'exact', revision: BigInt(revision) }, events });

describe('an append at any revision', () => {
  it('is recognised as a repetition by any ids of its stream, even if many events were appended at an exact revision', async () => {
    const first = events(8_000);
    const outcome = await appendAt(-1, 's', ...first);
    await appendAt(7_999, 's', ...events(8_000));
    await appendAt(15_999, 's', ...events(8_000));
    expect(await append('s', ...first)).toEqual(outcome);
    expect(await append('s', ...first.slice(0, 3))).toEqual({ kind: 'appended', revision: 2, position: 3 });
    expect(await append('s', ...first.slice(-1), event())).toEqual({ kind: 'wrong_revision', current: 23_999 });
    expect(log.head).toBe(24_000);
  });

  it('is recognised as a repetition after appends at an exact revision, and only in its own stream', async () => {
    const [one, two, three] = events(3) as [ProposedEvent, ProposedEvent, ProposedEvent];
    await append('s', one);
    await appendAt(0, 's', two);
    await append('s', three);
    for (const [index, each] of [one, two, three].entries())
      expect(await append('s', each)).toEqual({ kind: 'appended', revision: index, position: index + 1 });
    expect(await append('t', one)).toEqual({ kind: 'appended', revision: 0, position: 4 });
    const four = event();
    expect(await Promise.all([append('t', four), append('t', four)])).toEqual([
      { kind: 'appended', revision: 1, position: 5 },
      { kind: 'appended', revision: 1, position: 5 },
    ]);
  });

  it('is not recognised by an id whose oldest event is in another stream, even after it was appended', async () => {
    const shared = event();
    await append('s', shared);
    for (const revision of [0, 1]) expect(await append('t', shared)).toMatchObject({ kind: 'appended', revision });
    expect(await append('s', shared)).toMatchObject({ revision: 0, position: 1 });
  });

  it('has the place of the oldest event of its id in a stream that has the id several times', async () => {
    const repeated = event();
    for (const revision of [-1, 0, 1]) await appendAt(revision, 's', repeated);
    expect(await append('s', repeated)).toEqual({ kind: 'appended', revision: 0, position: 1 });
  });

  it('is told apart from a repetition whose last event is older than its first', async () => {
    const [one, two] = events(2) as [ProposedEvent, ProposedEvent];
    await append('s', one, two);
    expect(await append('s', two, one)).toEqual({ kind: 'other_order' });
    expect(log.head).toBe(2);
  });

  it('is recognised as a repetition in a folder that an earlier version wrote', async () => {
    const first = events(3);
    const outcome = await append('s', ...first);
    await append('s', ...first);
    await log.close();
    await downgradeHeads();
    log = EventLog.open(path);
    expect(await append('s', ...first)).toEqual(outcome);
    const next = event();
    await appendAt(2, 's', next);
    expect(await append('s', next)).toEqual({ kind: 'appended', revision: 3, position: 4 });
    expect(await append('s', ...first)).toEqual(outcome);
  });
});

/** Rewrites the stream heads in the format of earlier versions, which indexed all ids and stored no count of them. */
async function downgradeHeads(): Promise<void> {
  const root = open({ path, noSubdir: false });
  const heads = root.openDB<Buffer, Buffer>({ name: 'streams', encoding: 'binary', keyEncoding: 'binary' });
  for (const { key, value } of [...heads.getRange()]) await heads.put(key, value.subarray(0, 12));
  await root.close();
}
