const VARINT = 0;
const LENGTH_DELIMITED = 2;

/**
 * Writes a protobuf message from its end to its beginning, last field first. A nested message is then complete before its length has
 * to be written, so nothing is measured beforehand or moved afterwards.
 */
export class BackwardWriter {
  private at: number;
  private readonly buffer: Buffer;

  /** @param capacity bytes of the buffer, at least the size of the message. */
  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(capacity);
    this.at = capacity;
  }

  /** The end of a nested message whose fields are written from now on, for {@link enclose}. */
  get mark(): number {
    return this.at;
  }

  bytes(number: number, value: Uint8Array): void {
    this.at -= value.length;
    this.buffer.set(value, this.at);
    this.header(number, value.length);
  }

  varint(number: number, value: number | bigint): void {
    if (typeof value === 'bigint') this.exact(value);
    else this.number(value);
    this.number(number * 8 + VARINT);
  }

  /** Wraps the fields written since `mark` in one field. */
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

  private exact(value: bigint): void {
    const bytes: number[] = [];
    for (let rest = value; bytes.length === 0 || rest > 0n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | (rest >= 0x80n ? 0x80 : 0));
    this.at -= bytes.length;
    this.buffer.set(bytes, this.at);
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
