import { type Server } from 'node:http';
import { networkOf } from './network-of.js';

/**
 * Closes the connections of an address beyond its limit at once.
 * @param limit connections that an address may have; 0 means no limit
 * @param isProxy returns whether many clients share the address
 */
export function limitConnections(server: Server, limit: number, isProxy: (address: string) => boolean, refused: () => void): void {
  if (limit === 0) return;
  const open = new Map<string, number>();
  // The listener comes before Node's, which then finds the socket destroyed.
  server.prependListener('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const before = open.get(network) ?? 0;
    if (before >= limit) {
      socket.destroy();
      refused();
      return;
    }
    open.set(network, before + 1);
    socket.once('close', () => {
      const after = (open.get(network) ?? 1) - 1;
      if (after === 0) open.delete(network);
      else open.set(network, after);
    });
  });
}
