import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import * as http2 from 'node:http2';

/** A call is served, is rejected because the user is unknown, or is rejected because the user lacks the right. */
export type Access = 'granted' | 'unauthenticated' | 'denied';

const TRAILERS: Readonly<Record<Exclude<Access, 'granted'>, http2.OutgoingHttpHeaders>> = {
  unauthenticated: { 'grpc-status': '16', 'grpc-message': 'Unauthenticated' },
  denied: { 'grpc-status': '7', 'grpc-message': 'Access Denied', exception: 'access-denied' },
};
const USER = { name: 'rupa', password: 'right' };

/** A front of an event store that speaks TLS and checks each call's user, as EventStoreDB does and the embedded event store does not. */
export interface GuardedStore {
  readonly port: number;
  /** The right user and password, as they stand in a connection string. */
  readonly user: string;
  /** Decides from now on; it also ends the calls in progress unless it grants them. */
  access: Access;
  /** Calls that were not served. */
  readonly rejected: number;
  close(): Promise<void>;
}

/** @param port of the store */
export async function startGuardedStore(port: number, certificate: { readonly key: string; readonly cert: string }): Promise<GuardedStore> {
  const guard = new Guard(http2.connect(`http://127.0.0.1:${port}`));
  const server = http2.createSecureServer(certificate);
  server.on('session', (session: http2.ServerHttp2Session) => {
    guard.sessions.add(session);
    session.on('close', () => guard.sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    guard.serve(stream, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(guard, {
    port: (server.address() as AddressInfo).port,
    user: `${USER.name}:${USER.password}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      guard.destroy();
      await closed;
    },
  });
}

/** Forwards the calls that it grants to an event store. */
export class Guard {
  readonly sessions = new Set<http2.ServerHttp2Session>();
  rejected = 0;
  private granted: Access = 'granted';
  private readonly calls = new Set<http2.ServerHttp2Stream>();

  constructor(private readonly store: http2.ClientHttp2Session) {
    store.on('error', () => undefined);
  }

  set access(access: Access) {
    this.granted = access;
    if (access !== 'granted') for (const call of this.calls) call.close(http2.constants.NGHTTP2_CANCEL);
  }

  serve(call: http2.ServerHttp2Stream, { 'transfer-encoding': _, ...headers }: http2.IncomingHttpHeaders): void {
    call.on('error', () => undefined);
    const access = this.accessOf(headers);
    if (access === 'granted') this.forward(call, headers);
    else {
      this.rejected += 1;
      call.respond({ ':status': 200, 'content-type': 'application/grpc', ...TRAILERS[access] }, { endStream: true });
    }
  }

  protected accessOf(headers: http2.IncomingHttpHeaders): Access {
    return credentialsOf(headers.authorization) === `${USER.name}:${USER.password}` ? this.granted : 'unauthenticated';
  }

  /** Returns what is sent to the store for a part of a call. */
  protected sent(part: Buffer): Buffer {
    return part;
  }

  destroy(): void {
    for (const session of this.sessions) session.destroy();
    this.store.destroy();
  }

  private forward(call: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): void {
    this.calls.add(call);
    const upstream = this.store.request(headers);
    let trailers: http2.IncomingHttpHeaders = {};
    upstream.on('error', () => undefined);
    upstream.on('response', (response, flags) => {
      const endStream = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      if (!call.destroyed) call.respond(response, endStream ? { endStream } : { waitForTrailers: true });
    });
    upstream.on('trailers', (received: http2.IncomingHttpHeaders) => {
      trailers = received;
    });
    call.on('wantTrailers', () => {
      call.sendTrailers(trailers);
    });
    call.on('close', () => {
      this.calls.delete(call);
      upstream.close(http2.constants.NGHTTP2_CANCEL);
    });
    call.on('data', (part: Buffer) => upstream.write(this.sent(part))).on('end', () => upstream.end());
    upstream.pipe(call);
  }
}

/** Returns user and password, separated by a colon. */
export function credentialsOf(authorization = ''): string {
  const [, credentials = ''] = /^Basic (.*)$/.exec(authorization) ?? [];
  return Buffer.from(credentials, 'base64').toString();
}
