import grpc from '@grpc/grpc-js';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { type Budget, type Share } from '../budget.js';
import { PlainHttp } from './http-responses.js';
import { CALLS_MAX, CONNECTIONS_MAX } from '../limits.js';

const STREAM_CREATED = 'http2.server.stream.created';
const PREFIX_BYTES = 5;
/** Memory that a received chunk takes in addition to its bytes. */
const CHUNK_OVERHEAD_BYTES = 1_024;

/** The listening socket. */
export interface GrpcListener {
  readonly port: number;
  /** Stops accepting connections; open ones stay open. */
  close(): void;
}

/**
 * Accepts connections for the server, responds to plain HTTP requests on the same port, and counts connections, calls and received bytes
 * before gRPC handles them. gRPC itself bounds neither their number nor the memory for messages that are begun and never finished.
 * @throws Error when the port is in use.
 */
export async function openListener(server: grpc.Server, budget: Budget, host: string, port: number): Promise<GrpcListener> {
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const http = new PlainHttp();
  const listener = createServer({ noDelay: true }, (socket) => {
    http.route(socket, (connection) => {
      injector.injectConnection(connection);
    });
  });
  listener.maxConnections = CONNECTIONS_MAX;
  const bound = await listen(listener, host, port);
  const calls = new Set<ServerHttp2Stream>();
  const onCreated = (message: unknown): void => {
    const { stream } = message as { stream: ServerHttp2Stream };
    if (portOf(stream) !== bound) return;
    ignoreLateResponse(stream);
    admit(stream, calls, budget);
  };
  subscribe(STREAM_CREATED, onCreated);
  return {
    port: bound,
    close: () => {
      unsubscribe(STREAM_CREATED, onCreated);
      listener.close();
      http.close();
    },
  };
}

async function listen(listener: Server, host: string, port: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, () => {
      listener.off('error', reject);
      // Failing to accept one connection, for lack of file descriptors for instance, must not end the server.
      listener.on('error', () => undefined);
      resolve((listener.address() as AddressInfo).port);
    });
  });
}

function portOf({ session }: ServerHttp2Stream): number | undefined {
  return (session?.socket as Socket | undefined)?.localPort;
}

/**
 * gRPC responds at once to a call that it has no handler for, or whose content type it does not know. The client may have reset the call by
 * then, and the error that Node throws for that would end the process.
 */
function ignoreLateResponse(stream: ServerHttp2Stream): void {
  const respond = stream.respond.bind(stream);
  stream.respond = (...args: Parameters<typeof respond>): void => {
    if (!stream.destroyed) respond(...args);
  };
}

function admit(stream: ServerHttp2Stream, calls: Set<ServerHttp2Stream>, budget: Budget): void {
  if (calls.size >= CALLS_MAX) {
    // Deferred, because gRPC is about to handle the new stream.
    setImmediate(() => {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    return;
  }
  calls.add(stream);
  const share = budget.share(() => {
    stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
  stream.on('data', unfinishedMessage(share));
  stream.once('close', () => {
    calls.delete(stream);
    share.set(0);
  });
}

/** Follows the length prefixes of a call's messages, and sets the share to the received bytes of the incomplete message. */
function unfinishedMessage(share: Share): (chunk: Buffer) => void {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  let prefixBytes = 0;
  let left = 0;
  let held = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (left > 0) {
        const taken = Math.min(left, chunk.length - at);
        left -= taken;
        at += taken;
        held = left === 0 ? 0 : held + taken;
      } else {
        const taken = chunk.copy(prefix, prefixBytes, at);
        prefixBytes += taken;
        at += taken;
        if (prefixBytes < PREFIX_BYTES) break;
        prefixBytes = 0;
        left = prefix.readUInt32BE(1);
      }
    }
    held = left === 0 ? 0 : held + CHUNK_OVERHEAD_BYTES;
    share.set(held);
  };
}
