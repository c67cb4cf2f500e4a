/** The bytes are not a valid protobuf message. */
export class MalformedMessage extends Error {
  override name = 'MalformedMessage';
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const UUID_BYTES = 36;
/** Size in bytes of a UUID message, including its field header. */
export const UUID_FIELD_BYTES = UUID_BYTES + 4;
const KEY_MAX = 0xffff_ffff;
const ZERO = 48;
const NUMBER_BYTES_MAX = 10;
/** Scale of the last byte of a ten-byte varint, the longest that protobuf allows. */
const SCALE_MAX = 2 ** (7 * (NUMBER_BYTES_MAX - 1));

/** A cursor over the fields of a protobuf message, unknown ones included, which reads values without copying the message. */
export class Fields {
  /** Number of the current field. */
  number = 0;
  /** Value of the current field if it is a varint, else 0. It is exact up to 2^53, which positions and lengths do not exceed. */
  value = 0;
  /** Offset of the current field's value in the message. */
  start = 0;
  /** Offset after the current field's value. */
  end = 0;

  constructor(
    private readonly message: Buffer,
    private at = 0,
    private readonly limit = message.length,
  ) {}

  /** Moves to the next field. Returns false at the end of the message. @throws MalformedMessage */
  next(): boolean {
    if (this.at >= this.limit) return false;
    const key = this.varint();
    if (key > KEY_MAX) throw new MalformedMessage('A field number is too large.');
    this.number = key >>> 3;
    this.value = 0;
    this.start = this.at;
    switch (key & 7) {
      case VARINT:
        this.value = this.varint();
        break;
      case LENGTH_DELIMITED: {
        const length = this.varint();
        this.start = this.at;
        this.at += length;
        break;
      }
      case FIXED_64:
        this.at += 8;
        break;
      case FIXED_32:
        this.at += 4;
        break;
      default:
        throw new MalformedMessage('A field has an unknown type.');
    }
    if (this.at > this.limit) throw new MalformedMessage('A message is cut off.');
    this.end = this.at;
    return true;
  }

  /** Returns a cursor over the message in the current field. */
  inner(): Fields {
    return new Fields(this.message, this.start, this.end);
  }

  /** Returns a view, not a copy, of the current field's bytes. */
  bytes(): Buffer {
    return this.message.subarray(this.start, this.end);
  }

  text(): string {
    return this.message.toString('utf8', this.start, this.end);
  }

  /** Returns whether the current field holds the text, which must be ASCII. */
  isText(text: string): boolean {
    if (this.end - this.start !== text.length) return false;
    for (let index = 0; index < text.length; index += 1) if (this.message[this.start + index] !== text.charCodeAt(index)) return false;
    return true;
  }

  /** Returns the decimal number in the current field without its last digits, which would make it inexact. */
  decimal(digitsLeftOut: number): number {
    let value = 0;
    for (let at = this.start; at < this.end - digitsLeftOut; at += 1) value = value * 10 + (this.message[at] ?? 0) - ZERO;
    return value;
  }

  /** Returns the bytes of the last field with that number, which is the one that counts in protobuf; empty if there is none. */
  lastBytes(number: number): Buffer {
    let [start, end] = [0, 0];
    while (this.next()) if (this.number === number) [start, end] = [this.start, this.end];
    return this.message.subarray(start, end);
  }

  /** Returns {@link lastBytes} as text. */
  lastText(number: number): string {
    return this.lastBytes(number).toString();
  }

  /** Returns the current field's varint as an exact unsigned 64-bit integer. */
  exact(): bigint {
    if (this.end - this.start > NUMBER_BYTES_MAX) return 0n;
    let value = 0n;
    for (let at = this.end - 1; at >= this.start; at -= 1) value = (value << 7n) | BigInt((this.message[at] ?? 0) & 0x7f);
    return BigInt.asUintN(64, value);
  }

  /** Reads a UUID message, which holds either text or, in EventStoreDB's responses, two 64-bit halves. */
  uuid(): string {
    let uuid = '';
    while (this.next()) {
      if (this.number === 1) uuid = this.inner().uuidOfHalves();
      else if (this.number === 2) uuid = this.text();
    }
    return uuid;
  }

  private uuidOfHalves(): string {
    const halves = [0n, 0n];
    while (this.next()) if (this.number === 1 || this.number === 2) halves[this.number - 1] = this.exact();
    const digits = halves.map((half) => half.toString(16).padStart(16, '0')).join('');
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  private varint(): number {
    let byte = this.message[this.at++] ?? 0;
    let value = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      if (scale > SCALE_MAX) throw new MalformedMessage('A number is too long.');
      byte = this.message[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
    }
    return value;
  }
}

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
