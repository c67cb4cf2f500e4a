import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A TCP connection that sends arbitrary bytes. A reset or refusal by the other side is not an error. */
export interface RawSocket {
  readonly socket: Socket;
  /** Returns the last mebibyte that was received. */
  received(): Buffer;
  /** Writes as fast as the other side reads; stops when the connection closes. */
  send(...chunks: readonly (Buffer | string)[]): Promise<void>;
  /** Resolves once the other side has closed the connection, or `condition` holds. @returns whether it is closed. */
  closedOr(condition: (received: Buffer) => boolean): Promise<boolean>;
  destroy(): void;
}

const KEPT_BYTES = 1024 * 1024;

export async function openRaw(port: number, options: { allowHalfOpen?: boolean; localAddress?: string } = {}): Promise<RawSocket> {
  const socket = connect({ port, host: '127.0.0.1', ...options });
  let received = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]).subarray(-KEPT_BYTES);
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
  await Promise.race([once(socket, 'connect').catch(() => undefined), closed]);
  return {
    socket,
    received: () => received,
    send: async (...chunks) => {
      for (const chunk of chunks) {
        if (socket.destroyed || !socket.writable) return;
        if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
      }
    },
    closedOr: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (socket.destroyed || socket.readableEnded) resolve(true);
          else if (condition(received)) resolve(false);
          else return;
          for (const event of ['data', 'end', 'close']) socket.off(event, check);
        };
        for (const event of ['data', 'end', 'close']) socket.on(event, check);
        check();
      }),
    destroy: () => {
      socket.destroy();
    },
  };
}

/** Opens a connection that never reads. */
export async function openUnread(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect').catch(() => undefined);
  return socket;
}
