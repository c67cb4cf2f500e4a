const VARINT = 0;
const LENGTH_DELIMITED = 2;
const UUID_BYTES = 36;
/** Size in bytes of a UUID message, including its field header. */
export const UUID_FIELD_BYTES = UUID_BYTES + 4;

/** Returns the size of a length-delimited field with so many bytes, for field numbers below 16. */
export function sizeOfField(bytes: number): number {
  return 1 + sizeOfNumber(bytes) + bytes;
}

function sizeOfNumber(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

/** Writes the fields of a message one after another. Callers compute lengths beforehand, and field numbers are below 16. */
export class Writer {
  private at = 0;
  private readonly buffer: Buffer;

  /** @param capacity size of the buffer in bytes, at least the size of the message */
  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  number(field: number, value: number): void {
    this.varint(field * 8 + VARINT);
    this.varint(value);
  }

  /** Writes the header of a field; the caller then writes its `length` bytes. */
  header(field: number, length: number): void {
    this.varint(field * 8 + LENGTH_DELIMITED);
    this.varint(length);
  }

  raw(bytes: Buffer): void {
    this.at += bytes.copy(this.buffer, this.at);
  }

  text(field: number, text: string, bytes: number): void {
    this.header(field, bytes);
    this.at += this.buffer.write(text, this.at);
  }

  bytes(field: number, bytes: Buffer): void {
    this.header(field, bytes.length);
    this.raw(bytes);
  }

  /** Writes a UUID message in its text form. @param id 36 characters @throws TypeError for any other length */
  uuid(field: number, id: string): void {
    if (id.length !== UUID_BYTES) throw new TypeError(`"${id}" is not a UUID.`);
    this.header(field, UUID_BYTES + 2);
    this.header(2, UUID_BYTES);
    this.at += this.buffer.write(id, this.at, 'latin1');
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  private varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.buffer[this.at++] = (rest % 0x80) | 0x80;
    this.buffer[this.at++] = rest;
  }
}
