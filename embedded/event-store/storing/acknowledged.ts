import { closeSync, openSync, readSync, writeSync, constants } from 'node:fs';
import { crc32 } from 'node:zlib';
import { DamagedLog } from './damaged-log.js';

/** Name of the file in the folder of the log. */
export const ACKNOWLEDGED = 'acknowledged';
const POSITION_BYTES = 6;
const BYTES = POSITION_BYTES + 4;

/**
 * Notes the position of the newest acknowledged event in a file of its own, so that a start finds out if the tables and the journal have
 * lost their end. It is written after the commit and not flushed: that takes microseconds, survives a kill of the process, and after a
 * loss of power the mark is at most too low. Then a damaged last entry looks like one that was torn before it was acknowledged. An entry cannot
 * say of itself that it was flushed, so telling them apart in every case would take a second flush for each append.
 */
export class AcknowledgedMark {
  private readonly bytes = Buffer.alloc(BYTES);

  private constructor(
    private readonly file: number,
    /** Position that the file had when it was opened; 0 if it had none. */
    readonly position: number,
  ) {}

  static open(path: string): AcknowledgedMark {
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    const bytes = Buffer.alloc(BYTES);
    const isWhole = readSync(file, bytes, 0, BYTES, 0) === BYTES && crcOf(bytes) === bytes.readUInt32LE(POSITION_BYTES);
    return new AcknowledgedMark(file, isWhole ? bytes.readUIntLE(0, POSITION_BYTES) : 0);
  }

  /** @throws DamagedLog if the log ends before the mark. @param file the journal, which holds the newest events */
  refuseLossAfter(newest: number, file: string, place = 'its end'): void {
    if (newest < this.position)
      throw new DamagedLog(file, place, `the log ends at position ${newest}, and events up to position ${this.position} were acknowledged`);
  }

  set(position: number): void {
    this.bytes.writeUIntLE(position, 0, POSITION_BYTES);
    this.bytes.writeUInt32LE(crcOf(this.bytes), POSITION_BYTES);
    try {
      writeSync(this.file, this.bytes, 0, BYTES, 0);
    } catch {
      // The events are on disk, and a mark that is too low is harmless.
    }
  }

  close(): void {
    closeSync(this.file);
  }
}

function crcOf(bytes: Buffer): number {
  return crc32(bytes.subarray(0, POSITION_BYTES));
}
