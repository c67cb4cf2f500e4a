import { randomFillSync } from 'node:crypto';
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from './sync-folder.js';

/** How much waits here, and so how much the tables get at once: with less they cost more, with more everybody waits longer for them. */
const JOURNAL_BYTES = 2 * 1024 * 1024;
/** Length of what follows the check sum, check sum, the round's salt; then the records, each after its length. */
const LENGTH_BYTES = 4;
const CHECKED_FROM = 8;
const SALT_BYTES = 8;
const ENTRIES_FROM = CHECKED_FROM + SALT_BYTES;

/**
 * The newest events on disk, before the tables have them. An entry is what one commit appends: it is written in one piece behind the
 * one before, and is on disk when {@link append} returns. The file has its full size from the beginning, so that no flush has to
 * write more than the entry itself: neither a size nor where blocks lie.
 *
 * Once the tables have it all, entries are written over from the beginning. Each round has a salt that nobody could know before:
 * what is left of an earlier round, or looks like an entry inside an event, is none. A torn entry fails its check sum; it and all
 * behind it were never acknowledged, since an entry is begun only when the one before is on disk.
 */
export class Journal {
  private readonly scratch: Buffer;
  private readonly salt: Buffer = randomFillSync(Buffer.alloc(SALT_BYTES));
  private end = 0;

  private constructor(
    private readonly file: number,
    private readonly bytes: number,
  ) {
    this.scratch = Buffer.allocUnsafeSlow(bytes);
  }

  /** Opens the file; makes it where there is none. Its records have to be {@link recordsIn read} before, since the next round writes over them. */
  static open(path: string, bytes = JOURNAL_BYTES): Journal {
    if (!existsSync(path)) {
      // Under its name it is there whole or not at all.
      writeFileSync(`${path}.new`, Buffer.alloc(bytes), { mode: 0o600, flush: true });
      renameSync(`${path}.new`, path);
      syncFolder(dirname(path));
    }
    return new Journal(openSync(path, 'r+'), bytes);
  }

  /** Puts the records of one commit on disk, all or none. @returns false, having done nothing, where they do not fit. @throws Error when the disk fails: nobody knows then what is on it. */
  append(records: readonly Buffer[]): boolean {
    const size = records.reduce((sum, { length }) => sum + LENGTH_BYTES + length, ENTRIES_FROM);
    if (this.end + size > this.bytes) return false;
    const entry = this.scratch.subarray(0, size);
    this.salt.copy(entry, CHECKED_FROM);
    let at = ENTRIES_FROM;
    for (const record of records) {
      at = entry.writeUInt32LE(record.length, at);
      at += record.copy(entry, at);
    }
    entry.writeUInt32LE(size - CHECKED_FROM, 0);
    entry.writeUInt32LE(crc32(entry.subarray(CHECKED_FROM)), LENGTH_BYTES);
    if (writeSync(this.file, entry, 0, size, this.end) < size) throw new Error('The journal was not written whole.');
    fdatasyncSync(this.file);
    this.end += size;
    return true;
  }

  /** Begins a new round. Only once the tables have all that is in here, on disk. */
  restart(): void {
    this.end = 0;
    randomFillSync(this.salt);
  }

  close(): void {
    closeSync(this.file);
  }
}

/** The records of a journal's last round, in their order; those of a torn entry are left out. None where there is no file. */
export function recordsIn(path: string): Buffer[] {
  if (!existsSync(path)) return [];
  const file = readFileSync(path);
  const salt = file.subarray(CHECKED_FROM, ENTRIES_FROM);
  const records: Buffer[] = [];
  for (let at = 0; at + ENTRIES_FROM <= file.length;) {
    const end = at + CHECKED_FROM + file.readUInt32LE(at);
    const checked = file.subarray(at + CHECKED_FROM, end);
    const isWhole = end <= file.length && checked.length >= SALT_BYTES && checked.subarray(0, SALT_BYTES).equals(salt);
    if (!isWhole || crc32(checked) !== file.readUInt32LE(at + LENGTH_BYTES)) break;
    for (let next = SALT_BYTES; next < checked.length;) {
      const from = next + LENGTH_BYTES;
      next = from + checked.readUInt32LE(next);
      records.push(checked.subarray(from, next));
    }
    at = end;
  }
  return records;
}
