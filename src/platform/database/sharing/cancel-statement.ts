import { connect } from 'node:net';
import { type ClientBase } from 'pg';

const CANCEL_REQUEST = 80_877_102;
const MESSAGE_BYTES = 16;
const CONNECT_TIMEOUT_MS = 2_000;

/** The properties of a connection that the driver's types leave out. */
interface Connection {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: { destroy(): void } };
}

/** Returns whether PostgreSQL has not yet answered the last statement of the client. */
export function isExecuting(client: ClientBase): boolean {
  return !connectionOf(client).readyForQuery;
}

/**
 * Asks PostgreSQL to cancel the statement that the client executes, which then ends with SQLSTATE 57014. The request has a connection of its
 * own and no response (PostgreSQL, "Canceling Requests in Progress"). Like other drivers, this one sends it without encryption: it holds no
 * data, and its key is good for nothing else.
 */
export function cancelStatement(client: ClientBase): void {
  const { host, port, processID, secretKey } = connectionOf(client);
  const message = Buffer.alloc(MESSAGE_BYTES);
  for (const [index, value] of [MESSAGE_BYTES, CANCEL_REQUEST, processID, secretKey].entries()) message.writeInt32BE(value, index * 4);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => {
    socket.destroy();
  });
  // PostgreSQL closes this connection when it has passed the request on. PgBouncer 1.18 ends itself if the client closes it earlier.
  socket.resume().write(message);
}

/** Ends the client's connection at once, so that its statement fails here. */
export function endConnection(client: ClientBase): void {
  connectionOf(client).connection.stream.destroy();
}

function connectionOf(client: ClientBase): Connection {
  return client as unknown as Connection;
}
