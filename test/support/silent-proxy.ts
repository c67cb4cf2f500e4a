import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a server that can fall silent: it keeps connections and accepts new ones, but forwards nothing any more. */
export interface SilentProxy {
  readonly port: number;
  silence(): void;
  /** Forwards again, on connections that were opened after the silence as well as on those before it. */
  speak(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(port: number, host = '127.0.0.1'): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let silent = false;
  const carry = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (chunk) => {
      if (!silent) to.write(chunk);
    });
    from.on('error', () => undefined).on('close', () => to.destroy());
  };
  const server = createServer((socket) => {
    const upstream = connect(port, host);
    carry(socket, upstream);
    carry(upstream, socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      silent = true;
    },
    speak: () => {
      silent = false;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
