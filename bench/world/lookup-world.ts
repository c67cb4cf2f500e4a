import { type CleanUp } from '../support/clean-up.js';
import { createPartners } from './calls.js';
import { likeOurs, requireDurable } from './database.js';
import { importFarmers, linesFile } from './farmers.js';
import { type Peer, peerNames, startPeer } from './peer.js';
import { type BenchService, startService, untilCaughtUp } from './service-process.js';

export const PARTNERS = 100;

/** One side of a comparison under load. */
export interface LoadedSide {
  readonly name: string;
  /** Of the process whose tree is all that the side runs on. */
  readonly pid: number;
  readonly url: string;
  readonly databaseUrl: string;
  readonly idsFile: string;
  /** A file with the keys of so many partners. */
  keysFile(partners: number): string;
  /** Resolves once nothing is left to do of what was asked. */
  settled(): Promise<void>;
}

/** The service and the peer, with as many farmers and partners, both up and warm or idle. */
export class LookupWorld {
  private constructor(
    readonly service: BenchService,
    private readonly peer: Peer,
    readonly ours: LoadedSide,
    readonly theirs: LoadedSide,
  ) {}

  static async create(cleanUp: CleanUp, farmers: number, say: (text: string) => void): Promise<LookupWorld> {
    say(`starting the service and the peer with ${farmers} farmers and ${PARTNERS} partners each`);
    const peer = await startPeer(cleanUp, 'crud-lookup', { farmers, partners: PARTNERS });
    const service = await startService(cleanUp);
    const ids = await importFarmers(cleanUp, service.dataDir, farmers);
    const partners = await createPartners(service, PARTNERS);
    await likeOurs(peer.databaseUrl);
    for (const url of [peer.databaseUrl, service.stores.databaseUrl]) await requireDurable(url);
    return new LookupWorld(
      service,
      peer,
      sideOf(cleanUp, service, { ids, keys: partners.map(({ key }) => key) }),
      peerSideOf(cleanUp, peer, { farmers, partners: PARTNERS }),
    );
  }

  async close(): Promise<void> {
    await this.service.stop();
    await this.peer.stop();
  }
}

export function sideOf(
  cleanUp: CleanUp,
  service: BenchService,
  { name = 'service', ids, keys }: { name?: string; ids: readonly string[]; keys: readonly string[] },
): LoadedSide {
  return {
    name,
    pid: service.pid,
    url: service.url,
    databaseUrl: service.stores.databaseUrl,
    idsFile: linesFile(cleanUp, ids),
    keysFile: (count) => linesFile(cleanUp, keys.slice(0, count)),
    settled: () => untilCaughtUp(service),
  };
}

export function peerSideOf(cleanUp: CleanUp, peer: Peer, { farmers, partners }: { farmers: number; partners: number }): LoadedSide {
  return {
    name: 'peer',
    pid: peer.pid,
    url: peer.url,
    databaseUrl: peer.databaseUrl,
    idsFile: linesFile(cleanUp, peerNames('rp-', farmers)),
    keysFile: (count) => linesFile(cleanUp, peerNames('key-', Math.min(count, partners))),
    settled: () => Promise.resolve(),
  };
}
