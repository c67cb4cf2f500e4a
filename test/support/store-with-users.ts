import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as http2 from 'node:http2';
import { json } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { type Access, credentialsOf, Guard } from './guarded-store.js';

/** Names and passwords, as a new EventStoreDB has them. */
export const FIRST_USERS: Readonly<Record<string, string>> = { admin: 'changeit', ops: 'changeit' };

/**
 * A front of the embedded event store with TLS, users and the right to read $all, as far as ops/event-store/make-user.mjs sets them. What
 * that script writes reaches the log as on EventStoreDB, except that the metadata of $all is an event of another stream, because the
 * embedded event store has no metadata.
 */
export interface StoreWithUsers {
  /** Users and their passwords, which a restored store keeps. */
  readonly users: Map<string, string>;
  close(): Promise<void>;
}

/** @param options `port` to listen on, and the port of the store */
export async function startStoreWithUsers(options: {
  readonly port: number;
  readonly storePort: number;
  readonly certificate: { readonly key: Buffer; readonly cert: Buffer };
  readonly users: Iterable<readonly [string, string]>;
}): Promise<StoreWithUsers> {
  const guard = new UserGuard(http2.connect(`http://127.0.0.1:${options.storePort}`), new Map(options.users));
  const calls = http2.createServer();
  calls.on('session', (session) => {
    guard.sessions.add(session);
    session.on('close', () => guard.sessions.delete(session)).on('error', () => undefined);
  });
  calls.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    guard.serve(stream, headers);
  });
  const management = createHttpServer((request, response) => void guard.manage(request, response));
  // A server of node:http2 that also speaks HTTP/1.1 would answer the calls a second time, as requests.
  const server = createTlsServer({ ...options.certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    socket.on('error', () => undefined);
    (socket.alpnProtocol === 'h2' ? calls : management).emit('connection', socket);
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    users: guard.users,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      guard.destroy();
      await closed;
    },
  };
}

const METADATA_OF_ALL = Buffer.from('$$$all');
const IN_ITS_PLACE = Buffer.from('$-$all');

class UserGuard extends Guard {
  private readAll: string;

  constructor(
    store: http2.ClientHttp2Session,
    readonly users: Map<string, string>,
  ) {
    super(store);
    // A restored store has the rights in its log, too.
    this.readAll = users.size > Object.keys(FIRST_USERS).length ? [...users.keys()].join() : '';
  }

  protected override accessOf({ authorization, ':path': path }: http2.IncomingHttpHeaders): Access {
    // Everybody may ask for the features of a server.
    if (!path?.includes('.streams.')) return 'granted';
    const name = this.userOf(authorization);
    if (name === undefined) return 'unauthenticated';
    return name !== 'admin' && path.endsWith('/Read') && !this.readAll.includes(name) ? 'denied' : 'granted';
  }

  protected override sent(part: Buffer): Buffer {
    const at = part.indexOf(METADATA_OF_ALL);
    if (at < 0) return part;
    this.readAll = part.toString();
    return Buffer.concat([part.subarray(0, at), IN_ITS_PLACE, part.subarray(at + IN_ITS_PLACE.length)]);
  }

  /** The calls of EventStoreDB's users by HTTP. */
  async manage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const respond = (status: number): void => void response.writeHead(status, { connection: 'close' }).end('{}');
    const [, , name = '', , command = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    const user = this.userOf(request.headers.authorization);
    const body = request.method === 'POST' ? ((await json(request)) as Record<string, string>) : {};
    if (user === undefined) respond(401);
    else if (request.method === 'GET') respond(200);
    else if (user !== 'admin') respond(401);
    else if (name === '') {
      const { loginName = '', password = '' } = body;
      const isNew = !this.users.has(loginName);
      if (isNew) this.users.set(loginName, password);
      respond(isNew ? 201 : 409);
    } else if (!this.users.has(name)) respond(404);
    else if (command === 'change-password' && this.users.get(name) !== body.currentPassword) respond(400);
    else {
      this.users.set(name, body.newPassword ?? '');
      respond(200);
    }
  }

  private userOf(authorization: string | undefined): string | undefined {
    const credentials = credentialsOf(authorization);
    return [...this.users].find(([name, password]) => credentials === `${name}:${password}`)?.[0];
  }
}
