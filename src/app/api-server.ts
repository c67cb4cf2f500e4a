import { type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { isAllowed } from '../platform/http-server/address.js';
import { ENVELOPE_TYPE, Failures } from '../http/envelope.js';
import { type ErrorCode, ERRORS } from '../http/errors/error-codes.js';
import { RESPONSE_HEADERS } from '../http/pages/security-headers.js';
import { boundedServer, type ClosingReason, type RefusalStatus } from '../platform/http-server/bounded-server.js';
import { afterResponses } from '../platform/http-server/in-turn.js';
import { type Settings } from '../settings/declaration.js';

const MAX_HEADER_BYTES = 16 * 1024;
/** Time for a client to read the response to a malformed request before its connection is closed. */
const LINGER_MS = 2_000;
/** Interval at which Node looks for connections that exceed a timeout. Its default of 30 s would double a short timeout. */
const TIMEOUT_CHECK_MS = 1_000;

/** Responses to requests that Node's parser rejects, by Node's error code. Every other one is malformed. */
const CONNECTION_ERRORS: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Creates the HTTP server of the API. @param onClosed is called for each connection that exceeds a limit */
export function createApiServer(settings: Settings, handle: RequestListener, onClosed: (reason: ClosingReason) => void): Server {
  const { requestTimeoutMs, trustedProxies, maxConnectionsPerAddress } = settings;
  const failures = new Failures(settings.publicUrl);
  // A client that sends a byte a minute would otherwise keep a connection for minutes.
  const timeouts = { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs, connectionsCheckingInterval: TIMEOUT_CHECK_MS };
  const limits = {
    perAddress: maxConnectionsPerAddress,
    isProxy: (address: string) => trustedProxies.length > 0 && isAllowed(address, trustedProxies),
    onClosed,
    refuse: (response: ServerResponse, status: RefusalStatus) => {
      const body = failures.of(status === 417 ? 'expectation_failed' : 'malformed_request');
      response.writeHead(status, { ...RESPONSE_HEADERS, 'Content-Type': ENVELOPE_TYPE }).end(JSON.stringify(body));
    },
  };
  // Node's default limit of the headers, stated because their error names it.
  const options = { ...timeouts, maxHeaderSize: MAX_HEADER_BYTES };
  const server = boundedServer(options, limits, handle);
  // Without this listener Node closes the connection of a CONNECT without a response.
  server.on('connect', (_request, socket) => {
    refuseMalformedRequest('', socket as Socket, failures);
  });
  return server;
}

/** Responds to a request that Node's parser rejects, after the responses to those before it, and closes the connection. */
export function refuseMalformedRequest(code: string, socket: Socket, failures: Failures): void {
  afterResponses(socket, () => {
    refuse(code, socket, failures);
  });
}

function refuse(code: string, socket: Socket, failures: Failures): void {
  if (!socket.writable) return;
  if (socket.writableLength > 0) {
    // The client has not taken an earlier response, so it would not take this one.
    socket.destroy();
    return;
  }
  const error = CONNECTION_ERRORS[code] ?? 'malformed_request';
  const { status } = ERRORS[error];
  const body = JSON.stringify(failures.of(error));
  const headers = {
    ...RESPONSE_HEADERS,
    'Content-Type': ENVELOPE_TYPE,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  // Closed at once, the connection would be reset if the client is still sending, and the response lost.
  setTimeout(() => {
    socket.destroy();
  }, LINGER_MS).unref();
}
