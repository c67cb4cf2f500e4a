import { type Server } from 'node:http';
import { type Socket } from 'node:net';

const SWEEP_MS = 250;

/** Ends the connections that have an unread response for longest while all unread responses together take more than `maxBytes`. */
export function limitUnread(server: Server, maxBytes: number, onClosed: () => void): void {
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
