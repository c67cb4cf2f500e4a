import { existsSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { DamagedLog } from './damaged-log.js';
import { CHECKED_FROM, ENTRIES_FROM, JOURNAL_BYTES_MIN, LENGTH_BYTES, SALT_BYTES } from './journal.js';

interface Entry {
  /** Offset behind the entry. */
  readonly end: number;
  /** The salt of its round and its records. */
  readonly checked: Buffer;
}

export interface JournalReading {
  /** Whether the tables lack a record. */
  readonly isNew: (record: Buffer) => boolean;
  /** Receives the offset of a torn last entry, which is left out. The caller knows whether it was acknowledged. */
  readonly onTorn: (offset: number) => void;
}

/**
 * Returns the records of a journal's last round in their order. Returns none if there is no file.
 * @throws DamagedLog if an entry before others is damaged
 */
export function recordsIn(path: string, { isNew, onTorn }: JournalReading): Buffer[] {
  if (!existsSync(path)) return [];
  const file = readFileSync(path);
  // The file gets its name with its full size, which is a power of two.
  if (file.length < JOURNAL_BYTES_MIN || !Number.isInteger(Math.log2(file.length)))
    throw new DamagedLog(path, `offset ${file.length}`, 'the file was cut off there');
  const records: Buffer[] = [];
  const salt = file.subarray(CHECKED_FROM, ENTRIES_FROM);
  let at = 0;
  for (let entry = entryAt(file, 0); entry; entry = entryAt(file, at)) {
    if (!saltOf(entry).equals(salt)) break;
    records.push(...recordsOf(entry));
    at = entry.end;
  }
  // A whole entry that the tables lack is acknowledged, and so is every entry before it.
  for (const later of entriesAfter(file, at))
    if (recordsOf(later).some(isNew)) throw new DamagedLog(path, `offset ${at}`, 'the checksum of the entry there does not match');
  const isBegun = at + ENTRIES_FROM <= file.length && file.subarray(at + CHECKED_FROM, at + ENTRIES_FROM).equals(salt) && !isEmpty(salt);
  if (isBegun) onTorn(at);
  return records;
}

function entryAt(file: Buffer, at: number): Entry | undefined {
  if (at + ENTRIES_FROM > file.length) return undefined;
  const end = at + CHECKED_FROM + file.readUInt32LE(at);
  if (end < at + ENTRIES_FROM || end > file.length) return undefined;
  const checked = file.subarray(at + CHECKED_FROM, end);
  return crc32(checked) === file.readUInt32LE(at + LENGTH_BYTES) ? { end, checked } : undefined;
}

function* entriesAfter(file: Buffer, from: number): Generator<Entry, void, undefined> {
  for (let at = from + 1; at + ENTRIES_FROM <= file.length; at += 1) {
    const entry = entryAt(file, at);
    if (entry) yield entry;
  }
}

function recordsOf({ checked }: Entry): Buffer[] {
  const records: Buffer[] = [];
  for (let next = SALT_BYTES; next < checked.length;) {
    const from = next + LENGTH_BYTES;
    next = from + checked.readUInt32LE(next);
    records.push(checked.subarray(from, next));
  }
  return records;
}

function saltOf({ checked }: Entry): Buffer {
  return checked.subarray(0, SALT_BYTES);
}

function isEmpty(salt: Buffer): boolean {
  return salt.every((byte) => byte === 0);
}
