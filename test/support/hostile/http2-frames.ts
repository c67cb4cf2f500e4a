/** HTTP/2 frames as bytes (RFC 9113), including frames that no library would send. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  window: 8,
  continuation: 9,
} as const;
export const FLAG = { ack: 1, endStream: 1, endHeaders: 4, padded: 8 } as const;
const HEADER_BYTES = 9;

/** @param length the length that the frame claims for its payload, which need not be true. */
export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0), length = payload.length): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUIntBE(length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([header, payload]);
}

export function settings(entries: readonly (readonly [id: number, value: number])[] = []): Buffer {
  const payload = Buffer.alloc(entries.length * 6);
  entries.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value >>> 0, index * 6 + 2);
  });
  return frame(TYPE.settings, 0, 0, payload);
}

export function ping(mark: string): Buffer {
  return frame(TYPE.ping, 0, 0, Buffer.from(mark.padEnd(8).slice(0, 8)));
}

export function reset(stream: number): Buffer {
  return frame(TYPE.reset, 0, stream, Buffer.from([0, 0, 0, 8]));
}

export function windowUpdate(stream: number, by: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(by >>> 0);
  return frame(TYPE.window, 0, stream, payload);
}

export function data(stream: number, payload: Buffer, flags = 0): Buffer {
  return frame(TYPE.data, flags, stream, payload);
}

/** Encodes a header as an HPACK literal, with or without indexing. */
export function literal(name: string, value: string, indexed = false): Buffer {
  return Buffer.concat([Buffer.from([indexed ? 0x40 : 0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const rest: number[] = [];
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  for (let left = bytes.length - 127; ; left = Math.floor(left / 128)) {
    if (left < 128) {
      rest.push(left);
      return Buffer.concat([Buffer.from([127, ...rest]), bytes]);
    }
    rest.push((left % 128) + 128);
  }
}

/** Returns the headers that begin a gRPC call. */
export function callHeaders(path: string, more: Readonly<Record<string, string>> = {}): Buffer {
  const all = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'x',
    te: 'trailers',
    'content-type': 'application/grpc',
    ...more,
  };
  return Buffer.concat(Object.entries(all).map(([name, value]) => literal(name, value)));
}

export function headers(stream: number, block: Buffer, flags: number = FLAG.endHeaders): Buffer {
  return frame(TYPE.headers, flags, stream, block);
}

/** Frames a message for gRPC. @param length the length that its prefix claims, which need not be true. */
export function message(payload: Buffer, length = payload.length, compressed = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(compressed, 0);
  prefix.writeUInt32BE(length >>> 0, 1);
  return Buffer.concat([prefix, payload]);
}

/** Returns whether the acknowledgement of a {@link ping} with this mark was received. */
export function hasResponse(received: Buffer, mark: string): boolean {
  return received.includes(frame(TYPE.ping, FLAG.ack, 0, Buffer.from(mark.padEnd(8).slice(0, 8))));
}
