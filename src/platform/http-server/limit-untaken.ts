import { type Server } from 'node:http';
import { type Socket } from 'node:net';

/** Bytes of responses that clients have not taken yet, over all connections. A tenth of the heap in docker-compose.yml. */
const MAX_UNTAKEN_BYTES = 64 * 1024 * 1024;
const SWEEP_MS = 250;

/** Ends the connections that leave a response untaken for longest while all untaken responses together take too much memory. */
export function limitUntaken(server: Server, onUntaken: () => void, max = MAX_UNTAKEN_BYTES): void {
  const open = new Set<Socket>();
  /** The connections with an untaken response, the one that has it for longest first. */
  const untaken = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      untaken.delete(socket);
    });
  });
  const sweep = (): void => {
    let bytes = 0;
    for (const socket of open) {
      bytes += socket.writableLength;
      if (socket.writableLength > 0) untaken.add(socket);
      else untaken.delete(socket);
    }
    for (const socket of untaken) {
      if (bytes <= max) return;
      bytes -= socket.writableLength;
      socket.destroy();
      onUntaken();
    }
  };
  const timer = setInterval(sweep, SWEEP_MS).unref();
  server.once('close', () => {
    clearInterval(timer);
  });
}
