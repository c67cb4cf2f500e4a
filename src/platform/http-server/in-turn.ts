import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

interface Connection {
  /** The request that is being handled, until the client has taken its response. */
  current: IncomingMessage | undefined;
  readonly waiting: Exchange[];
  /** Work that follows the last response. */
  last: (() => void) | undefined;
}

const connections = new WeakMap<Socket, Connection>();

/** Requests that a client may send ahead of the response to an earlier one. Browsers, HTTP libraries and proxies send none. */
export const MAX_WAITING_REQUESTS = 16;

/** Time for a client to finish sending a request whose response it has. */
const UNREAD_BODY_MS = 2_000;

/**
 * Handles a connection's next request only when the client has taken the response to the one before. Node hands over every request of a
 * connection as soon as it has arrived, and keeps all responses in memory until the client takes them.
 * @param refuse ends a connection on which too many requests wait
 */
export function inTurn(handle: RequestListener, refuse: (socket: Socket) => void): RequestListener {
  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket);
    if (known) return known;
    const connection: Connection = { current: undefined, waiting: [], last: undefined };
    connections.set(socket, connection);
    // Node resumes a socket after each request that it has parsed.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause();
    });
    return connection;
  };

  const start = (socket: Socket, connection: Connection, [request, response]: Exchange): void => {
    connection.current = request;
    // `close` is emitted when the response was taken, and when the connection ends.
    response.once('close', () => {
      connection.current = undefined;
      if (!request.complete) limitUnreadBody(request, socket);
      const next = connection.waiting.shift();
      if (!next) {
        connection.last?.();
        return;
      }
      if (!socket.writable) {
        connection.waiting.length = 0;
        return;
      }
      if (connection.waiting.length === 0) socket.resume();
      start(socket, connection, next);
    });
    handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    if (!socket.writable) {
      dropReceivedRequests(socket);
      return;
    }
    const connection = connectionOf(socket);
    if (!connection.current) start(socket, connection, [request, response]);
    else if (connection.waiting.length < MAX_WAITING_REQUESTS) {
      connection.waiting.push([request, response]);
      socket.pause();
    } else {
      connection.waiting.length = 0;
      dropReceivedRequests(socket);
      refuse(socket);
    }
  };
}

/**
 * Runs `work` when the responses to the complete requests of a connection were taken: at once if there are none. Until then, the bytes of
 * `work` would reach the client in place of a response, which may be one that it pays for.
 */
export function afterResponses(socket: Socket, work: () => void): void {
  const connection = connections.get(socket);
  // A request whose body cannot be read gets no response of its own.
  if (connection?.waiting.at(-1)?.[0].complete === false) connection.waiting.pop();
  const isHandling = connection?.current?.complete === true || (connection?.waiting.length ?? 0) > 0;
  if (connection && isHandling) connection.last = work;
  else work();
}

/**
 * Ends a connection that goes on sending a request for long after its response. Node reads the rest and drops it, so that the client can
 * take the response and use the connection again.
 */
function limitUnreadBody(request: IncomingMessage, socket: Socket): void {
  const timer = setTimeout(() => {
    if (!request.complete) socket.destroy();
  }, UNREAD_BODY_MS).unref();
  // A listener of the socket would stay, with the request, for as long as the connection goes on to serve others.
  request.once('close', () => {
    clearTimeout(timer);
  });
}

/** Node's HTTP parser of a connection. The property is undocumented; Node sets it for each connection and clears it at the end. */
interface ParsedSocket extends Socket {
  readonly parser?: { onIncoming: (() => number) | null } | null;
}

/**
 * Ignores the requests that Node has read on a connection which is about to end. Otherwise Node creates a request and a response for each,
 * 2,500 in a chunk of 64 KiB, and keeps them until it has handled the chunks of all connections: several hundred connections that flood at
 * the same moment would take more than a gigabyte.
 */
function dropReceivedRequests(socket: Socket): void {
  const { parser } = socket as ParsedSocket;
  if (parser) parser.onIncoming = () => 0;
}
