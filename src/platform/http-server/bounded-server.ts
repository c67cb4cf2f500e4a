import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { inTurn } from './in-turn.js';
import { networkOf } from './address.js';

/** More connections than any proxy opens, and fewer than the usual limit of open files. */
const MAX_CONNECTIONS = 4_096;
/**
 * Load balancers and scrapers close an idle connection after a minute at most. The service waits longer, so that it never closes a connection
 * just as a request arrives.
 */
const KEEP_ALIVE_MS = 72_000;
/** A client that takes nothing of its response for this long loses its connection. */
const UNREAD_MS = 30_000;
/** Bytes of responses that clients have not taken, over all connections: a tenth of the heap in docker-compose.yml. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Reasons for closing a connection: its address has too many, all have too many, too many requests wait, or a response is not taken. */
export const CLOSING_REASONS = ['address_limit', 'total_limit', 'waiting_requests', 'unread_response'] as const;
export type ClosingReason = (typeof CLOSING_REASONS)[number];

/** A request without Host header, and one with an unknown expectation. */
export type RefusalStatus = 400 | 417;

export interface ConnectionLimits {
  /** Connections that an address may have; 0 means no limit. */
  readonly perAddress: number;
  /** Returns whether many clients share the address. */
  isProxy?(this: void, address: string): boolean;
  onClosed?(this: void, reason: ClosingReason): void;
  /** Responds to a request that no handler needs to see. The connection is closed afterwards. */
  refuse?(this: void, response: ServerResponse, status: RefusalStatus): void;
  readonly unreadMs?: number;
  readonly maxUnreadBytes?: number;
}

/** Creates a server that keeps few responses in memory, however its clients send requests and take responses. */
export function boundedServer(options: ServerOptions, limits: ConnectionLimits, handle: RequestListener): Server {
  const { perAddress, isProxy = () => false, onClosed = () => undefined, refuse = respondEmpty } = limits;
  const { unreadMs = UNREAD_MS, maxUnreadBytes = MAX_UNREAD_BYTES } = limits;
  // Node itself would respond to requests without Host header, and to unknown expectations, before it is their turn.
  const server = createServer({ ...options, keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false });
  const listener = inTurn(
    (request, response) => {
      const status = refusalOf(request);
      // The service upgrades no connection. Node drops what follows such a request in the same chunk, so the client is told to connect again.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
      if (status === undefined) handle(request, response);
      else refuse(response.setHeader('Connection', 'close'), status);
    },
    (socket) => {
      socket.destroy();
      onClosed('waiting_requests');
    },
  );
  server.on('request', listener).on('checkExpectation', listener);
  server.maxConnections = MAX_CONNECTIONS;
  server.on('drop', () => {
    onClosed('total_limit');
  });
  limitConnections(server, perAddress, isProxy, () => {
    onClosed('address_limit');
  });
  limitUnread(server, maxUnreadBytes, () => {
    onClosed('unread_response');
  });
  server.setTimeout(unreadMs);
  // A socket's timeout does not fire while the client takes bytes of a response.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) {
      socket.destroy();
      onClosed('unread_response');
      return;
    }
    // Node gives idle connections the timeout `keepAliveTimeout`. On others a request is arriving, which `requestTimeout` limits, or is being
    // handled, which the handler's own deadline limits.
    if (socket.timeout === unreadMs) socket.setTimeout(unreadMs);
    else socket.destroy();
  });
  return server;
}

/** Returns the status for a request that no handler needs to see (RFC 9112, section 3.2, and RFC 9110, section 10.1.1). */
function refusalOf({ headers, httpVersion }: IncomingMessage): RefusalStatus | undefined {
  if (httpVersion === '1.1' && headers.host === undefined) return 400;
  if (headers.expect !== undefined && !/(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect)) return 417;
  return undefined;
}

function respondEmpty(response: ServerResponse, status: RefusalStatus): void {
  response.writeHead(status).end();
}

const SWEEP_MS = 250;

/** Ends the connections that have an unread response for longest while all unread responses together take more than `maxBytes`. */
function limitUnread(server: Server, maxBytes: number, onClosed: () => void): void {
  const open = new Set<Socket>();
  /** The connections with an unread response, the one that has it for longest first. */
  const unread = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      unread.delete(socket);
    });
  });
  const sweep = (): void => {
    let bytes = 0;
    for (const socket of open) {
      bytes += socket.writableLength;
      if (socket.writableLength > 0) unread.add(socket);
      else unread.delete(socket);
    }
    for (const socket of unread) {
      if (bytes <= maxBytes) return;
      bytes -= socket.writableLength;
      socket.destroy();
      onClosed();
    }
  };
  const timer = setInterval(sweep, SWEEP_MS).unref();
  server.once('close', () => {
    clearInterval(timer);
  });
}

/**
 * Closes the connections of an address beyond its limit at once.
 * @param limit connections that an address may have; 0 means no limit
 * @param isProxy returns whether many clients share the address
 */
function limitConnections(server: Server, limit: number, isProxy: (address: string) => boolean, refused: () => void): void {
  if (limit === 0) return;
  const open = new Map<string, number>();
  // The listener comes before Node's, which then finds the socket destroyed.
  server.prependListener('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const before = open.get(network) ?? 0;
    if (before >= limit) {
      socket.destroy();
      refused();
      return;
    }
    open.set(network, before + 1);
    socket.once('close', () => {
      const after = (open.get(network) ?? 1) - 1;
      if (after === 0) open.delete(network);
      else open.set(network, after);
    });
  });
}
