import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { message } from './http2-frames.js';

export interface CallEnd {
  /**
   * The gRPC status of the trailers; `responded` if data came first; `reset` if the stream was cut off; `http <status>` if it is not gRPC.
   */
  readonly status: string;
  readonly data: Buffer;
}

/** Opens a session that survives errors. */
export async function openSession(port: number): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  await new Promise((resolve) => session.once('remoteSettings', resolve));
  return session;
}

/** Sends a body unchanged, and waits until the call ends or the first data arrives. */
export async function callRaw(session: ClientHttp2Session, path: string, body: Buffer, more: OutgoingHttpHeaders = {}): Promise<CallEnd> {
  const stream = session.request({ ':method': 'POST', ':path': path, te: 'trailers', 'content-type': 'application/grpc', ...more });
  return await new Promise((resolve) => {
    let status = 'reset';
    let data: Buffer = Buffer.alloc(0);
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      const { 'grpc-status': code, ':status': http } = headers;
      if (status === 'responded') return;
      if (typeof code === 'string') status = code;
      else if (typeof http === 'number' && http !== 200) status = `http ${http}`;
    };
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', () => undefined);
    stream.once('data', (chunk: Buffer) => {
      data = chunk;
      status = 'responded';
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.once('close', () => {
      resolve({ status, data });
    });
    stream.end(body);
  });
}

export const framed = message;
