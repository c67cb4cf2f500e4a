import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type MessageKeys } from './message-keys.js';

/** A message has at most some hundred commands. */
const MAX_BYTES = 4 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 256;
/** The header with the signature of a call or of a response. */
export const SIGNATURE = 'rupa-signature';
/** The header with the id of a call. */
export const CALL_ID = 'rupa-call-id';

/** Executes the signed calls of other APIs. It is a server of its own, so that no load balancer can reach it. */
export class PeerServer {
  private readonly server: Server;
  private respond: ((message: unknown) => Promise<unknown>) | undefined;

  constructor(private readonly keys: MessageKeys) {
    this.server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: 60_000 }, (request, response) => {
      this.handle(request, response).catch(() => {
        response.destroy();
      });
    });
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** Sets what executes calls; undefined refuses them. */
  set handler(respond: ((message: unknown) => Promise<unknown>) | undefined) {
    this.respond = respond;
  }

  /** @returns the port */
  async listen(host: string, port: number): Promise<number> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Ends after the responses to the calls in progress. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeIdleConnections();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { keys, respond } = this;
    const callId = String(request.headers[CALL_ID] ?? '');
    if (!body || !keys.verify('call', callId, body, String(request.headers[SIGNATURE] ?? ''))) response.writeHead(404).end();
    else if (!respond) response.writeHead(503).end();
    else {
      const result = Buffer.from(JSON.stringify(await respond(JSON.parse(body.toString()))));
      response.setHeader(SIGNATURE, keys.sign('response', callId, result)).end(result);
    }
  }
}

/** Returns undefined for a body that is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
