import { crc32 } from 'node:zlib';

/** First byte of a record with a checksum. A record of earlier versions begins with the tag of its only field instead. */
const CHECKED = 0x7d;
const RECORD_TAG = 0x0a;
const CRC_BYTES = 4;
const PREFIX_BYTES = 1 + CRC_BYTES;

/** Returns the stored form of a record. Its checksum covers the position, so that a record in the wrong place is found, too. */
export function withChecksum(record: Buffer, position: number): Buffer {
  const stored = Buffer.allocUnsafe(PREFIX_BYTES + record.length);
  stored[0] = CHECKED;
  stored.writeUInt32LE(crc32(record, position >>> 0), 1);
  record.copy(stored, PREFIX_BYTES);
  return stored;
}

/** Returns the record in its stored form; undefined if it is damaged. A record of an earlier version has no checksum, only a length. */
export function checkedRecord(stored: Buffer, position: number): Buffer | undefined {
  if (stored[0] === CHECKED && stored.length > PREFIX_BYTES) {
    const record = stored.subarray(PREFIX_BYTES);
    return crc32(record, position >>> 0) === stored.readUInt32LE(1) ? record : undefined;
  }
  return stored[0] === RECORD_TAG && lengthAt(stored, 1) === stored.length ? stored : undefined;
}

/** Returns the end of a protobuf field whose length begins at an offset. */
function lengthAt(message: Buffer, at: number): number {
  let length = 0;
  for (let [index, factor] = [at, 1]; index < at + 5; index += 1, factor *= 128) {
    const byte = message[index] ?? 0;
    length += (byte & 127) * factor;
    if (byte < 128) return index + 1 + length;
  }
  return -1;
}

/** Returns the stored form of another table's value. Its checksum covers the key. */
export function checkedForm(key: Buffer, value: Buffer): Buffer {
  const crc = Buffer.allocUnsafe(CRC_BYTES);
  crc.writeUInt32LE(crc32(value, crc32(key)));
  return Buffer.concat([value, crc]);
}

/** Returns the value in its stored form; undefined if it is damaged. @param lengths the lengths of values, which earlier versions stored bare */
export function checkedValue(key: Buffer, stored: Buffer, lengths: readonly number[]): Buffer | undefined {
  if (lengths.includes(stored.length)) return stored;
  const value = stored.subarray(0, -CRC_BYTES);
  if (!lengths.includes(value.length)) return undefined;
  return crc32(value, crc32(key)) === stored.readUInt32LE(value.length) ? value : undefined;
}
