/** Bytes that are no protobuf message, or not the one that was expected. */
export class MalformedMessage extends Error {
  override name = 'MalformedMessage';
}

/** One field as it lies in a message: `varint` for numbers, `bytes` (a view, not a copy) for all that has a length. */
export interface Field {
  readonly number: number;
  readonly varint: bigint;
  readonly bytes: Buffer;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const MAX_VARINT_BITS = 63;
const NOTHING: Buffer = Buffer.alloc(0);

/** The fields of a message in their order; unknown ones too, whose numbers the caller passes over. @throws MalformedMessage */
export function* fields(message: Buffer): Generator<Field, void, undefined> {
  let at = 0;
  const varint = (): bigint => {
    let byte = byteAt(message, at++);
    if (byte < 0x80) return BigInt(byte);
    let value = BigInt(byte & 0x7f);
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift > MAX_VARINT_BITS) throw new MalformedMessage('A number is too long.');
      byte = byteAt(message, at++);
      value |= BigInt(byte & 0x7f) << BigInt(shift);
    }
    return BigInt.asUintN(64, value);
  };
  const take = (length: number): Buffer => {
    if (length > message.length - at) throw new MalformedMessage('A field is cut off.');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = Number(varint());
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case VARINT:
        yield { number, varint: varint(), bytes: NOTHING };
        break;
      case LENGTH_DELIMITED:
        yield { number, varint: 0n, bytes: take(Number(varint())) };
        break;
      case FIXED_64:
        yield { number, varint: 0n, bytes: take(8) };
        break;
      case FIXED_32:
        yield { number, varint: 0n, bytes: take(4) };
        break;
      default:
        throw new MalformedMessage('A field has an unknown type.');
    }
  }
}

function byteAt(message: Buffer, at: number): number {
  const byte = message[at];
  if (byte === undefined) throw new MalformedMessage('A message is cut off.');
  return byte;
}

/**
 * Writes a message from its end to its beginning, last field first: what lies inside is then written before its length is asked
 * for, so that nothing is measured or moved.
 */
export class BackwardWriter {
  private at: number;
  private readonly buffer: Buffer;

  /** @param capacity bytes, no fewer than the message will have. */
  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(capacity);
    this.at = capacity;
  }

  /** Where a message that encloses the fields written from now on will end. */
  get mark(): number {
    return this.at;
  }

  bytes(number: number, value: Uint8Array): void {
    this.at -= value.length;
    this.buffer.set(value, this.at);
    this.header(number, value.length);
  }

  varint(number: number, value: number): void {
    this.number(value);
    this.number(number * 8 + VARINT);
  }

  /** Makes the fields written since `mark` the content of one field. */
  enclose(number: number, mark: number): void {
    this.header(number, mark - this.at);
  }

  finish(): Buffer {
    return this.buffer.subarray(this.at);
  }

  private header(number: number, length: number): void {
    this.number(length);
    this.number(number * 8 + LENGTH_DELIMITED);
  }

  private number(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
    this.at -= size;
    let rest = value;
    for (let index = 0; index < size - 1; index += 1) {
      this.buffer[this.at + index] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.buffer[this.at + size - 1] = rest;
  }
}
