import { createServer } from 'node:http';
import { type Socket } from 'node:net';

/** Bytes that every HTTP/2 connection of gRPC begins with. */
const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** Milliseconds until a connection is closed that has sent nothing, or whose request is incomplete. */
const FIRST_BYTES_MS = 60_000;
const SENTENCE = 'This is the embedded event store. It speaks gRPC alone: use a client of EventStoreDB.\n';

/** The connections that do not speak HTTP/2, or not yet. */
export class PlainHttp {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => {
    const isLiveness = request.url === '/health/live';
    response.writeHead(isLiveness ? 204 : 404, { connection: 'close', ...(!isLiveness && { 'content-type': 'text/plain' }) });
    response.end(isLiveness ? undefined : SENTENCE);
  });

  /** Hands a new connection to `http2` if its first bytes are HTTP/2's, and otherwise responds: liveness, or a sentence. */
  route(socket: Socket, http2: (socket: Socket) => void): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.setTimeout(FIRST_BYTES_MS, () => socket.destroy());
    socket.on('error', ignore);
    socket.once('data', (first) => {
      socket.pause();
      socket.unshift(first);
      if (first.subarray(0, HTTP2_PREFACE.length).equals(HTTP2_PREFACE.subarray(0, first.length))) {
        this.sockets.delete(socket);
        socket.setTimeout(0);
        socket.removeAllListeners('timeout');
        socket.off('error', ignore);
        http2(socket);
      } else {
        this.server.emit('connection', socket);
        socket.resume();
      }
    });
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

function ignore(): void {
  // The connection is closed, which is all there is to do.
}
