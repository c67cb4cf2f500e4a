import { join, resolve } from 'node:path';
import { freePort } from '../../embedded/postgres.js';
import { type CleanUp } from '../support/clean-up.js';
import { startServer, type Started } from '../support/child-programs.js';

export type PeerName = 'crud-lookup' | 'crud-audited' | 'crud-report' | 'crud-report-audited';

/** A server with the same endpoint without event sourcing, on a PostgreSQL of its own. */
export interface Peer extends Started {
  readonly name: PeerName;
  readonly url: string;
  readonly databaseUrl: string;
}

export async function startPeer(
  cleanUp: CleanUp,
  name: PeerName,
  sizes: { readonly farmers: number; readonly partners: number },
): Promise<Peer> {
  const [port, pgPort] = [await freePort(), await freePort()];
  const folder = cleanUp.folder();
  const env = {
    PORT: String(port),
    PGPORT: String(pgPort),
    FARMERS: String(sizes.farmers),
    PARTNERS: String(sizes.partners),
    DATA_DIR: join(folder, 'postgres'),
  };
  const started = await startServer(cleanUp, {
    args: [resolve(`bench/peers/${name}/server.mjs`)],
    env,
    signal: 'SIGTERM',
    ready: /peer listening on (\d+)/,
    log: join(folder, 'peer.log'),
  });
  return { ...started, name, url: `http://127.0.0.1:${port}`, databaseUrl: `postgres://postgres:p@127.0.0.1:${pgPort}/peer` };
}

/** Returns the API keys or the farmer ids that the peers generate. */
export function peerNames(prefix: 'key-' | 'rp-', count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}
