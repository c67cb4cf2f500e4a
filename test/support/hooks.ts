import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { DeliveryFailed } from '../../src/contexts/webhooks/egress/delivery-failed.js';
import { Egress, type Posted, type PostRequest } from '../../src/contexts/webhooks/egress/post.js';

/** The code of a failure. */
export type Failure = { readonly code: string };

export const failure = (code: string): Failure => ({ code });

export const LONG_MS = 30_000;
/** A time limit for a receiver that must not respond within it. */
export const SHORT_MS = 300;
/** A time limit within which a response begins, on a busy machine, too, and which a test can wait for. */
export const BEGINNING_MS = 3_000;

/** The egress, the name resolution and the receivers of one test. */
export class Hooks {
  /** Addresses by host name; hooks.example.com is this machine. */
  readonly names = new Map([['hooks.example.com', ['127.0.0.1']]]);
  /** Every host name that was resolved. */
  readonly resolvedNames: string[] = [];
  /** Open connections to the receivers. */
  readonly sockets = new Set<Socket>();
  connections = 0;
  private readonly servers: Server[] = [];

  readonly egress = new Egress((hostname) => {
    this.resolvedNames.push(hostname);
    const addresses = this.names.get(hostname);
    return addresses === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(addresses.map((address) => ({ address })));
  });

  /** Starts a server. @returns its port. */
  async listen(server: Server): Promise<number> {
    server.on('connection', (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  serve(listener: RequestListener): Promise<number> {
    return this.listen(createServer(listener));
  }

  /** Starts a receiver that sends the same text to every client, whether it is valid HTTP or not. */
  serveText(text: string): Promise<number> {
    return this.listen(createTcpServer((socket) => socket.once('data', () => socket.end(text))));
  }

  post(port: number, request: Partial<PostRequest> = {}): Promise<Posted> {
    const url = `http://hooks.example.com:${port}/hook`;
    return this.egress.post({ url, headers: {}, body: '{}', timeoutMs: LONG_MS, allowPrivateNetworks: true, httpsOnly: false, ...request });
  }

  async close(): Promise<void> {
    await this.egress.close();
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(this.servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/** Returns the failure of a post that must not succeed. */
export async function failureOf(posting: Promise<Posted>): Promise<Failure> {
  const error = await posting.then(
    (posted) => new Error(`Posted: ${posted.status}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DeliveryFailed)) throw error;
  return failure(error.code);
}
