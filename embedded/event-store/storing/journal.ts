import { randomFillSync } from 'node:crypto';
import { closeSync, existsSync, fdatasyncSync, fstatSync, fsyncSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/** Name of the file in the folder of the log. */
export const JOURNAL = 'journal';
export const JOURNAL_BYTES_MIN = 4 * 1024;
/** Size of the journal and of a transaction of the tables. A smaller one costs more per event; a larger one blocks appends for longer. */
const JOURNAL_BYTES = 2 * 1024 * 1024;
/** Layout of an entry: length of the checked part, checksum, then the checked part: salt of the round and records with their lengths. */
export const LENGTH_BYTES = 4;
export const CHECKED_FROM = 8;
export const SALT_BYTES = 8;
export const ENTRIES_FROM = CHECKED_FROM + SALT_BYTES;

/**
 * A write-ahead log for the newest events, which are not in the tables yet. Each commit is one entry, written in one piece after the
 * previous entry, and on disk when {@link append} returns. The file has its full size from the beginning, so that a flush writes only
 * the entry and no file system metadata such as the size or the block list.
 *
 * Once the tables have all events, a new round overwrites the file from its beginning. Each round has a random, unpredictable salt, so
 * neither remains of an earlier round nor bytes inside an event can pass for an entry. A torn entry fails its checksum. Whether it was
 * acknowledged shows from the entries after it and from the mark (acknowledged.ts).
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

  /** Opens or creates the file. Its records must be read (journal-file.ts) before, because the next round overwrites them. */
  static open(path: string, bytes = JOURNAL_BYTES): Journal {
    if (!existsSync(path)) {
      // The file gets its final name when it is complete.
      writeFileSync(`${path}.new`, Buffer.alloc(bytes), { mode: 0o600, flush: true });
      renameSync(`${path}.new`, path);
      syncFolder(dirname(path));
    }
    const file = openSync(path, 'r+');
    return new Journal(file, fstatSync(file).size);
  }

  /**
   * Writes the records of one commit to disk, all or none.
   * @returns false if they do not fit; nothing is written then.
   * @throws Error when the disk fails. If the error says that the disk is full, the entry is not on disk.
   */
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
    try {
      this.write(entry, this.end);
    } catch (error) {
      // The entry may be complete on disk although the flush failed. The caller must be able to rely on its absence.
      this.write(Buffer.alloc(ENTRIES_FROM), this.end);
      throw error;
    }
    this.end += size;
    return true;
  }

  /** Empties the file. The tables must have all events of the journal on disk before. @throws Error when the disk fails. */
  erase(): void {
    this.restart();
    this.write(Buffer.alloc(this.bytes), 0);
  }

  private write(bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length;) done += writeSync(this.file, bytes, done, bytes.length - done, at + done);
    fdatasyncSync(this.file);
  }

  /** Begins a new round. The tables must have all events of the journal on disk before. */
  restart(): void {
    this.end = 0;
    randomFillSync(this.salt);
  }

  close(): void {
    closeSync(this.file);
  }
}

/** Syncs the folder: the names of new files in it are on disk when this returns. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
