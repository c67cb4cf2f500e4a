import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ServiceError } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { proposedEvent as event } from '../../../test/support/unit/proposed-event.js';
import { Journal } from './journal.js';
import { EventLog } from './log.js';
import { type DecodedRequest, type ReadCall } from '../reading/read-call.js';
import { read } from '../reading/reads.js';
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
const append = (stream: string, ...events: ProposedEvent[]) =>
  log.append({ stream: Buffer.from(stream), expected: { kind: 'any' }, events });
const appendAt = (revision: number, stream: string, ...events: ProposedEvent[]) =>
  log.append({ stream: Buffer.from(stream), expected: { kind: 'exact', revision: BigInt(revision) }, events });

describe('a commit', () => {
  it('covers all waiting appends and makes their events visible together', async () => {
    let commits = 0;
    const heads: number[] = [];
    log.onCommit(() => {
      commits += 1;
      heads.push(log.head);
    });
    await Promise.all(Array.from({ length: 200 }, () => append('s', event(), event())));
    expect(log.head).toBe(400);
    expect(heads.at(-1)).toBe(400);
    expect(commits).toBeLessThanOrEqual(2);
  });

  it('leaves out an append that cannot be written, without failing the other appends', async () => {
    await append('s', event());
    const unwritable = event({ type: undefined as unknown as Buffer });
    const [before, broken, after] = await Promise.allSettled([
      append('s', event()),
      log.append({ stream: Buffer.from('s'), expected: { kind: 'any' }, events: [event(), unwritable] }),
      append('s', event()),
    ]);
    expect(before).toMatchObject({ value: { kind: 'appended', revision: 1, position: 2 } });
    expect(broken).toMatchObject({ status: 'rejected' });
    expect(after).toMatchObject({ value: { kind: 'appended', revision: 2, position: 3 } });
    expect(log.readAll(1, log.head)).toHaveLength(3);
  });

  it('is there after the log was closed and opened', async () => {
    await append('s', event(), event());
    await log.close();
    log = EventLog.open(path);
    expect(log.head).toBe(2);
    expect(await append('s', event())).toEqual({ kind: 'appended', revision: 2, position: 3 });
  });
});

describe('the newest events', () => {
  /** Bytes of a journal that is full, and flushed to the tables, many times in a test. */
  const SMALL_JOURNAL = 8 * 1024;

  beforeEach(async () => {
    await log.close();
    await rm(path, { recursive: true, force: true });
    log = EventLog.open(path, (file) => Journal.open(file, SMALL_JOURNAL));
  });

  /** Opens a copy of the folder: the log that a start would find if the process were killed now. */
  async function afterKill<T>(check: (found: EventLog) => Promise<T>): Promise<T> {
    const copy = `${path}-killed`;
    cpSync(path, copy, { recursive: true });
    const found = EventLog.open(copy);
    return await check(found).finally(async () => {
      await found.close();
      await rm(copy, { recursive: true, force: true });
    });
  }

  const idsIn = (from: EventLog, stream: string): (string | undefined)[] =>
    from.readStream(Buffer.from(stream), 0, 1_000).map(({ bytes }) => idOf(bytes));
  const idOf = (bytes: Buffer): string | undefined =>
    streams.ReadResp.deserializeBinary(new Uint8Array(bytes)).getEvent()?.getEvent()?.getId()?.getString();

  it('are read like all others and survive a kill, in any round of the journal', async () => {
    const sent: Record<'s' | 't', string[]> = { s: [], t: [] };
    for (let round = 0; round < 30; round += 1) {
      const [s, t] = [events(3), events(round % 7)];
      await Promise.all([appendAt(sent.s.length - 1, 's', ...s), append('t', ...t)]);
      sent.s.push(...s.map(({ id }) => id));
      sent.t.push(...t.map(({ id }) => id));
      const total = sent.s.length + sent.t.length;
      const upwards = Array.from({ length: total }, (_, index) => index + 1);
      await afterKill(async (found) => {
        for (const each of [log, found]) {
          expect(each.head).toBe(total);
          expect([idsIn(each, 's'), idsIn(each, 't')]).toEqual([sent.s, sent.t]);
          expect(pages(each, 1, total)).toEqual(upwards);
          expect(pages(each, total, 1)).toEqual(upwards.toReversed());
        }
        expect(await found.append({ stream: Buffer.from('s'), expected: { kind: 'any' }, events: s })).toMatchObject({
          kind: 'appended',
          revision: sent.s.length - 1,
        });
      });
    }
  });

  function pages(from: EventLog, first: number, last: number): number[] {
    const step = first <= last ? 1 : -1;
    const positions: number[] = [];
    for (let next = first; (last - next) * step >= 0; next = (positions.at(-1) ?? last) + step) {
      const page = from.readAll(next, last);
      expect(page).not.toEqual([]);
      positions.push(...page.map(({ position }) => position));
    }
    return positions;
  }

  it('may be larger than the whole journal', async () => {
    await append('s', event());
    await append('s', event({ data: Buffer.alloc(3 * SMALL_JOURNAL) }), event());
    await append('s', event());
    await afterKill(async (found) => {
      expect(found.head).toBe(4);
      expect(await found.append({ stream: Buffer.from('s'), expected: { kind: 'exact', revision: 3n }, events: [event()] })).toMatchObject({
        position: 5,
      });
    });
  });

  it('stay as they were when the disk fails; the failed appends are never visible, and the process has to end', async () => {
    const failures: Error[] = [];
    await log.close();
    log = EventLog.open(path, (file) => Journal.open(file, SMALL_JOURNAL), {
      notice: () => undefined,
      failed: (error) => failures.push(error),
    });
    const first = event();
    await append('s', first);
    await append('s', first);
    const failing = jest.spyOn(Journal.prototype, 'append').mockImplementation(() => {
      throw new Error('The disk is gone.');
    });
    const lost = await Promise.allSettled([append('s', event(), event()), append('new', event()), append('s', first)]);
    failing.mockRestore();
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect([log.head, log.lastRevision(Buffer.from('s')), log.lastRevision(Buffer.from('new'))]).toEqual([1, 0, -1]);
    // The state of that disk is unknown until the next start reads it.
    await expect(append('s', event())).rejects.toThrow('accepts no appends until it is restarted');
    expect(failures).toHaveLength(1);
    const second = event();
    await afterKill(async (found) => {
      expect(idsIn(found, 's')).toEqual([first.id]);
      expect(await found.append({ stream: Buffer.from('s'), expected: { kind: 'any' }, events: [second] })).toEqual({
        kind: 'appended',
        revision: 1,
        position: 2,
      });
    });
  });

  it('are refused when the journal belongs to another log', async () => {
    await append('s', ...events(3));
    await log.close();
    const other = EventLog.open(`${path}-other`, (file) => Journal.open(file, SMALL_JOURNAL));
    for (let count = 0; count < 100; count += 1)
      await other.append({ stream: Buffer.from('s'), expected: { kind: 'any' }, events: events(1) });
    cpSync(join(`${path}-other`, 'journal'), join(path, 'journal'));
    await other.close();
    await rm(`${path}-other`, { recursive: true });
    expect(() => EventLog.open(path)).toThrow('do not belong to the same log');
    await rm(join(path, 'journal'));
    log = EventLog.open(path);
    expect(log.head).toBe(3);
  });
});

describe('a stream', () => {
  it('may have a name of any length, which differs from all names with the same beginning', async () => {
    const [short, long, longer] = ['x'.repeat(1_024), 'x'.repeat(5_000), 'x'.repeat(5_001)] as const;
    const hashed = Buffer.concat([Buffer.from(short), createHash('sha256').update(long).digest()]);
    for (const [index, name] of [short, long, longer, hashed].entries()) {
      const stream = Buffer.from(name);
      const appended = log.append({ stream, expected: { kind: 'no_stream' }, events: [event()] });
      expect(await appended).toEqual({ kind: 'appended', revision: 0, position: index + 1 });
    }
    await log.close();
    log = EventLog.open(path);
    expect([short, long, longer].map((name) => log.readStream(Buffer.from(name), 0, 9).map(({ position }) => position))).toEqual([
      [1],
      [2],
      [3],
    ]);
    expect(await appendAt(0, long, event())).toMatchObject({ revision: 1 });
  });
});

describe('a log that is closed', () => {
  it('refuses appends, and takes no harm from them', async () => {
    await append('s', event());
    await log.close();
    await expect(append('s', event())).rejects.toThrow('has been stopped');
    log = EventLog.open(path);
    expect(log.head).toBe(1);
  });
});

describe('a page', () => {
  it('is bounded by the size of its events, and is never empty before the end', async () => {
    const large = { data: Buffer.alloc(400_000) };
    await append('s', event(large), event(large));
    await append('s', event(large), event(large));
    expect(log.readAll(1, 4).map(({ position }) => position)).toEqual([1, 2]);
    expect(log.readAll(4, 1).map(({ position }) => position)).toEqual([4, 3]);
    expect(log.readStream(Buffer.from('s'), 2, 3)).toHaveLength(2);
    expect(log.readStream(Buffer.from('s'), 4, 9)).toEqual([]);
  });
});

/** A call whose client reads the first message only after `start`. */
class StalledReader extends Writable {
  cancelled = false;
  taken = 0;
  private continueWriting: (() => void) | undefined;
  private started = false;

  constructor(readonly request: DecodedRequest) {
    super({ objectMode: true });
  }

  override _write(_message: Buffer, _encoding: BufferEncoding, done: (error?: ServiceError) => void): void {
    this.taken += 1;
    if (this.started) setImmediate(done);
    else this.continueWriting = done;
  }

  start(): void {
    this.started = true;
    this.continueWriting?.();
  }
}

describe('a subscriber that does not read', () => {
  it('makes the server buffer only a few events, and gets the rest from disk when it reads again', async () => {
    await append('s', ...Array.from({ length: 3_000 }, () => event()));
    const { Options } = streams.ReadReq;
    const options = new Options().setSubscription(new Options.SubscriptionOptions()).setNoFilter(new shared.Empty());
    options.setUuidOption(new Options.UUIDOption().setString(new shared.Empty()));
    options.setStream(
      new Options.StreamOptions()
        .setStart(new shared.Empty())
        .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from('s'))),
    );
    const call = new StalledReader({ request: new streams.ReadReq().setOptions(options) });
    const subscribed = read({ log, closing: new AbortController().signal }, call as unknown as ReadCall);
    await append('s', ...Array.from({ length: 3_000 }, () => event()));
    expect(call.writableLength).toBeLessThanOrEqual(call.writableHighWaterMark);
    call.start();
    // 6,000 events, the confirmation of the subscription and the message that it has caught up.
    while (call.taken < 6_002) await new Promise(setImmediate);
    expect(call.writableLength).toBeLessThanOrEqual(call.writableHighWaterMark);
    call.cancelled = true;
    call.emit('cancelled');
    await subscribed;
    expect(call.taken).toBe(6_002);
  });
});
