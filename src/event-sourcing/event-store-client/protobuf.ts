const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const UUID_BYTES = 36;
/** Of a UUID message with its header. */
export const UUID_FIELD_BYTES = UUID_BYTES + 4;

/** Goes through the fields of a protobuf message and reads them where they lie. */
export class Fields {
  number = 0;
  /** Of a number. Beyond 2^53 it is not exact: neither positions nor revisions are so large. */
  value = 0;
  /** Where it lies. */
  start = 0;
  end = 0;

  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly limit = bytes.length,
  ) {}

  /** Goes to the next field; false where there is none. @throws Error for what is no message */
  next(): boolean {
    if (this.at >= this.limit) return false;
    const key = this.varint();
    this.number = key >>> 3;
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
        throw new Error('The event store answers something that is no protobuf.');
    }
    if (this.at > this.limit) throw new Error('An answer of the event store is cut off.');
    this.end = this.at;
    return true;
  }

  /** The message that the field holds. */
  inner(): Fields {
    return new Fields(this.bytes, this.start, this.end);
  }

  text(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  /** The last of the fields of that number, as text. */
  lastText(number: number): string {
    let text = '';
    while (this.next()) if (this.number === number) text = this.text();
    return text;
  }

  /** A UUID message: as text, or as the two halves that EventStoreDB answers with. */
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
    while (this.next()) halves[this.number - 1] = this.exact();
    const digits = halves.map((half) => half.toString(16).padStart(16, '0')).join('');
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /** The number as it is, of 64 bits and without a sign. */
  private exact(): bigint {
    let value = 0n;
    for (let at = this.end - 1; at >= this.start; at -= 1) value = (value << 7n) | BigInt((this.bytes[at] ?? 0) & 0x7f);
    return BigInt.asUintN(64, value);
  }

  private varint(): number {
    let byte = this.bytes[this.at++] ?? 0;
    let value = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
    }
    return value;
  }
}

/** How many bytes a field with a length takes, whose number is below 16. */
export function sizeOfField(bytes: number): number {
  return 1 + sizeOfNumber(bytes) + bytes;
}

function sizeOfNumber(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

/** Writes the fields of a message in their order; lengths are known before. Field numbers are below 16. */
export class Writer {
  private at = 0;
  private readonly buffer: Buffer;

  /** @param capacity bytes, no fewer than the message will have. */
  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(capacity);
  }

  number(field: number, value: number): void {
    this.varint(field * 8 + VARINT);
    this.varint(value);
  }

  /** The beginning of a field of so many bytes, which are to follow. */
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

  /** A UUID message, as text. @param id of 36 characters */
  uuid(field: number, id: string): void {
    if (id.length !== UUID_BYTES) throw new TypeError(`${id} is no UUID.`);
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
