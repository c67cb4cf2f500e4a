import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface ReceivedNotification {
  readonly headers: Readonly<Record<string, string>>;
  /** The body exactly as it was received. */
  readonly body: string;
  readonly path: string;
  readonly json: {
    readonly id: string;
    readonly type: string;
    readonly created_at: string;
    readonly mode: string;
    readonly data: Record<string, unknown>;
  };
}

/** How a receiver responds to a notification: with a status, or with a handler of the request. */
export type ReceiverResponse = number | ((request: IncomingMessage, response: ServerResponse, received: ReceivedNotification) => void);

export interface Receiver {
  readonly url: string;
  readonly received: readonly ReceivedNotification[];
  /** The response to every notification from now on. */
  response: ReceiverResponse;
  /** The number of open requests: `now`, and `most` at any time. */
  readonly open: { now: number; most: number };
  close(): Promise<void>;
}

/** Starts a partner's server that records every notification it receives. */
export async function startReceiver(initial: ReceiverResponse = 200): Promise<Receiver> {
  const received: ReceivedNotification[] = [];
  const open = { now: 0, most: 0 };
  // A system may give this receiver the port of one that was closed, whose endpoint is still registered. So each has a path of its own.
  const hook = `/hook-${randomUUID()}`;
  // It closes no idle connection: the service could send its next request over it just then.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (!request.url?.startsWith(hook)) {
      request.resume();
      response.writeHead(404).end();
      return;
    }
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.once('close', () => (open.now -= 1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const notification = {
        headers: request.headers as Record<string, string>,
        body,
        path: request.url ?? '',
        json: JSON.parse(body) as ReceivedNotification['json'],
      };
      received.push(notification);
      if (typeof receiver.response === 'number') response.writeHead(receiver.response).end();
      else receiver.response(request, response, notification);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${hook}`,
    received,
    response: initial,
    open,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
