import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskFull } from '../append-gate.js';
import { Journal } from './journal.js';
import { type Appended, EventLog } from './log.js';
import { Tables } from './tables.js';

/** Bytes of a journal that is flushed to the tables after a few appends. */
const SMALL_JOURNAL = 4 * 1024;

/** The parts of a commit that take room on the disk. */
type Full = 'nothing' | 'journal, before the entry' | 'journal, within the entry' | 'journal, after the entry' | 'tables';
const FULL: Full[] = ['nothing', 'journal, before the entry', 'journal, within the entry', 'journal, after the entry', 'tables'];

let path: string;
let log: EventLog;
let full: Full;
/** The code with which every write of the journal fails. */
let failing: string | undefined;
let notices: string[];
let failures: Error[];

const noSpace = (code: string | number = 'ENOSPC'): Error => Object.assign(new Error('no space left on device'), { code });
const observer = { notice: (text: string) => void notices.push(text), failed: (error: Error) => void failures.push(error) };
const openLog = (folder: string): EventLog => EventLog.open(folder, (file) => Journal.open(file, SMALL_JOURNAL), observer);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'performance'] });
  full = 'nothing';
  [notices, failures] = [[], []];
  const journal = Journal.prototype as unknown as { write: (bytes: Buffer, at: number) => void };
  const write = journal.write;
  failing = undefined;
  jest.spyOn(journal, 'write').mockImplementation(function (this: unknown, bytes: Buffer, at: number) {
    if (failing !== undefined) throw noSpace(failing);
    // Overwriting a few bytes in place needs no room; the whole entry may.
    if (!full.startsWith('journal') || bytes.every((byte) => byte === 0)) {
      write.call(this, bytes, at);
      return;
    }
    if (full !== 'journal, before the entry')
      write.call(this, full === 'journal, within the entry' ? bytes.subarray(0, bytes.length / 2) : bytes, at);
    throw noSpace();
  });
  const { transaction } = Tables.prototype as unknown as { transaction: (work: () => void) => void };
  jest.spyOn(Tables.prototype, 'transaction').mockImplementation(function (this: unknown, work: () => unknown) {
    transaction.call(this, () => {
      work();
      // LMDB's errors have a number instead of a name.
      if (full === 'tables') throw noSpace(28);
    });
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/** Lets the log try the disk again. */
const retry = (): void => {
  jest.advanceTimersByTime(10_000);
};

const append = async (bytes: number, id: string = randomUUID()): Promise<Appended> =>
  await log.append({
    stream: Buffer.from('s'),
    expected: { kind: 'exact', revision: BigInt(log.lastRevision(Buffer.from('s'))) },
    events: [
      { id, type: Buffer.from('Noted'), contentType: Buffer.from(''), data: Buffer.alloc(bytes, 1), customMetadata: Buffer.alloc(0) },
    ],
  });

function idsIn(from: EventLog): string[] {
  const records: Buffer[] = [];
  // A page may end before the last event.
  while (records.length < from.head) records.push(...from.readAll(records.length + 1, from.head).map(({ bytes }) => bytes));
  return records.map(
    (bytes) => streams.ReadResp.deserializeBinary(new Uint8Array(bytes)).getEvent()?.getEvent()?.getId()?.getString() ?? '',
  );
}

/** Opens a copy of the folder: the log that a start would find if the process were killed now. */
async function afterKill<T>(check: (found: EventLog) => T): Promise<T> {
  const copy = `${path}-killed`;
  cpSync(path, copy, { recursive: true });
  const found = openLog(copy);
  try {
    return check(found);
  } finally {
    await found.close();
    await rm(copy, { recursive: true, force: true });
  }
}

describe('a log on a full disk', () => {
  it('has exactly the acknowledged events, wherever the room ends, and goes on as soon as there is room', async () => {
    const steps = fc.array(fc.record({ full: fc.constantFrom(...FULL), bytes: fc.nat(1_500) }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (history, isStoppedWhenFull) => {
        path = await mkdtemp(join(tmpdir(), 'full-disk-'));
        log = openLog(path);
        const acknowledged: string[] = [];
        try {
          for (const step of history) {
            full = step.full;
            const id = randomUUID();
            const outcome = await append(step.bytes, id).catch((error: unknown) => error);
            if (outcome instanceof Error) {
              expect(outcome).toBeInstanceOf(DiskFull);
              await expect(append(1)).rejects.toThrow('is full: it accepts no appends until there is room again');
            } else acknowledged.push(id);
            expect(idsIn(log)).toEqual(acknowledged);
            full = 'nothing';
            expect(await afterKill(idsIn)).toEqual(acknowledged);
            retry();
          }
          const last = randomUUID();
          expect(await append(10, last)).toMatchObject({ kind: 'appended', position: acknowledged.push(last) });
          if (isStoppedWhenFull) {
            full = 'tables';
            await append(2 * SMALL_JOURNAL).catch(() => undefined);
          }
          await log.close();
          full = 'nothing';
          log = openLog(path);
          expect(idsIn(log)).toEqual(acknowledged);
          expect(failures).toEqual([]);
        } finally {
          full = 'nothing';
          await log.close();
          await rm(path, { recursive: true, force: true });
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each(['EROFS', 'EIO', 'EBADF'])(
    'ends for any other failure of the disk, names it, and keeps what it acknowledged: %s',
    async (code) => {
      path = await mkdtemp(join(tmpdir(), 'full-disk-'));
      log = openLog(path);
      const id = randomUUID();
      await append(10, id);
      failing = code;
      const sentence = `The disk of the event store in ${path} failed (${code}): it accepts no appends until it is restarted.`;
      await expect(append(10)).rejects.toThrow(sentence);
      failing = undefined;
      retry();
      await expect(append(10)).rejects.toThrow(sentence);
      expect(failures.map(({ message }) => message)).toEqual([sentence]);
      expect(await afterKill(idsIn)).toEqual([id]);
      await log.close();
      await rm(path, { recursive: true, force: true });
    },
  );

  it('appends a refused event again, and then recognises its repetitions', async () => {
    path = await mkdtemp(join(tmpdir(), 'full-disk-'));
    log = openLog(path);
    const large = { id: randomUUID(), type: Buffer.from('Noted'), contentType: Buffer.from(''), customMetadata: Buffer.alloc(0) };
    const appendAnywhere = async (): Promise<Appended> =>
      await log.append({
        stream: Buffer.from('s'),
        expected: { kind: 'any' },
        events: [{ ...large, data: Buffer.alloc(2 * SMALL_JOURNAL) }],
      });
    full = 'tables';
    for (const { reason } of (await Promise.allSettled([appendAnywhere(), appendAnywhere()])) as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(DiskFull);
    full = 'nothing';
    retry();
    await append(1);
    for (let time = 0; time < 2; time += 1) expect(await appendAnywhere()).toEqual({ kind: 'appended', revision: 1, position: 2 });
    await log.close();
    await rm(path, { recursive: true, force: true });
  });

  it('says once that it is full and once that it has room again', async () => {
    path = await mkdtemp(join(tmpdir(), 'full-disk-'));
    log = openLog(path);
    full = 'tables';
    await expect(append(2 * SMALL_JOURNAL)).rejects.toThrow(DiskFull);
    retry();
    full = 'nothing';
    retry();
    retry();
    expect(notices).toEqual([
      `The disk of the event store in ${path} is full: it accepts no appends until there is room again. Free space on that disk.`,
      `The disk of the event store in ${path} has room again: it accepts appends.`,
    ]);
    await log.close();
    await rm(path, { recursive: true, force: true });
  });
});
