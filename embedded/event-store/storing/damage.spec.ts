import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DamagedLog } from './damaged-log.js';
import { Journal } from './journal.js';
import { EventLog } from './log.js';
import { type ProposedEvent } from '../serving/wire.js';

/** `DAMAGE_RUNS=2000 npm run unit -- damage` damages more files. */
const RUNS = Number(process.env.DAMAGE_RUNS ?? 60);
const PAGE = 4_096;
const STREAMS = 40;
const quiet = { notice: () => undefined, failed: () => undefined };

let folder: string;
let events: Buffer[];

const open = (path: string): EventLog => EventLog.open(path, (file) => Journal.open(file, 64 * 1024), quiet);
const event = (bytes: number): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from('Noted'),
  contentType: Buffer.from('application/json'),
  data: Buffer.alloc(bytes, 'text '),
  customMetadata: Buffer.from('{}'),
});

/** Writes a log with streams of many lengths and events of many sizes. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'damage-'));
  const log = open(join(folder, 'closed'));
  for (let round = 0; round < 400; round += 1) {
    const stream = Buffer.from(`stream-${round % STREAMS}`);
    const expected = round % 5 === 0 ? ({ kind: 'any' } as const) : { kind: 'exact' as const, revision: BigInt(log.lastRevision(stream)) };
    const sizes = [round % 50, 300, round % 7 === 0 ? 9_000 : 700];
    await log.append({
      stream,
      expected: expected.kind === 'exact' && expected.revision < 0n ? { kind: 'no_stream' } : expected,
      events: sizes.map(event),
    });
  }
  events = allIn(log);
  cpSync(join(folder, 'closed'), join(folder, 'killed'), { recursive: true });
  await log.close();
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Reads all events by their positions, and checks that the streams have the same ones. */
function allIn(log: EventLog): Buffer[] {
  const records: Buffer[] = [];
  while (records.length < log.head) records.push(...log.readAll(records.length + 1, log.head).map(({ bytes }) => Buffer.from(bytes)));
  let inStreams = 0;
  for (let index = 0; index < STREAMS; index += 1) {
    const stream = Buffer.from(`stream-${index}`);
    const last = log.lastRevision(stream);
    for (let next = 0; next <= last;) {
      const page = log.readStream(stream, next, last);
      for (const { position, bytes } of page) expect(records[position - 1]?.equals(bytes)).toBe(true);
      next += page.length;
      inStreams += page.length;
    }
  }
  expect(inStreams).toBe(records.length);
  return records;
}

type Damage = (file: string, share: number, byte: number) => void;

const DAMAGES: Record<string, Damage> = {
  'a changed byte': (file, share, byte) => {
    const bytes = readFileSync(file);
    const at = Math.floor(bytes.length * share);
    bytes[at] = (bytes[at] ?? 0) ^ byte;
    writeFileSync(file, bytes);
  },
  'a flipped bit': (file, share, byte) => {
    const bytes = readFileSync(file);
    const at = Math.floor(bytes.length * share);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (byte % 8));
    writeFileSync(file, bytes);
  },
  'a changed byte in the header': (file, share, byte) => {
    const bytes = readFileSync(file);
    const at = Math.floor(Math.min(bytes.length, 2 * PAGE) * share);
    const [page, within] = [at - (at % PAGE), at % 200];
    bytes[page + within] = (bytes[page + within] ?? 0) ^ byte;
    writeFileSync(file, bytes);
  },
  'a zeroed page': (file, share) => {
    const bytes = readFileSync(file);
    const at = Math.floor((bytes.length * share) / PAGE) * PAGE;
    writeFileSync(file, bytes.fill(0, at, Math.min(at + PAGE, bytes.length)));
  },
  'a page in the place of another one': (file, share, byte) => {
    const bytes = readFileSync(file);
    const at = Math.floor((bytes.length * share) / PAGE) * PAGE;
    const from = (byte % Math.ceil(bytes.length / PAGE)) * PAGE;
    bytes.copy(bytes, at, from, from + PAGE);
    writeFileSync(file, bytes);
  },
  'a lost end': (file, share) => {
    truncateSync(file, Math.floor(readFileSync(file).length * share));
  },
};

describe('a damaged log', () => {
  it('is refused with a sentence that names the file, or returns every event unchanged', async () => {
    const cases = fc.record({
      state: fc.constantFrom('closed', 'killed'),
      file: fc.constantFrom('data.mdb', 'data.mdb', 'data.mdb', 'journal', 'journal', 'lock.mdb', 'acknowledged'),
      damage: fc.constantFrom(...Object.keys(DAMAGES)),
      share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      byte: fc.integer({ min: 1, max: 255 }),
    });
    let told = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ state, file, damage, share, byte }) => {
        // LMDB shares what it has open for a path, so each copy has a path of its own.
        const copy = await mkdtemp(join(folder, 'copy-'));
        cpSync(join(folder, state), copy, { recursive: true });
        DAMAGES[damage]?.(join(copy, file), share, byte);
        let log: EventLog | undefined;
        try {
          log = open(copy);
          const found = allIn(log);
          expect(found.length).toBe(events.length);
          expect(found.every((each, index) => events[index]?.equals(each))).toBe(true);
        } catch (error) {
          if (!(error instanceof DamagedLog)) throw error;
          expect(error.message).toContain(join(copy, file));
          told += 1;
        } finally {
          await log?.close();
          rmSync(copy, { recursive: true });
        }
      }),
      { numRuns: RUNS },
    );
    expect(told).toBeGreaterThan(RUNS / 20);
  });
});
