import { type CleanUp } from '../support/clean-up.js';
import { createPartners, untilCaughtUp } from './calls.js';
import { applyServiceSettings, requireDurable } from './database.js';
import { importFarmers, linesFile } from './farmers.js';
import { type Peer, peerNames, startPeer } from './peer.js';
import { type BenchService, startService } from './service-process.js';

export const PARTNERS = 100;

/** One side of a comparison under load. */
export interface LoadedSide {
  readonly name: string;
  /** Process whose process tree runs all of the side. */
  readonly pid: number;
  readonly url: string;
  readonly databaseUrl: string;
  readonly idsFile: string;
  /** Writes a file with the API keys of the first partners. Returns its path. */
  keysFile(partners: number): string;
  /** Resolves when the side has finished the work that earlier requests caused. */
  untilIdle(): Promise<void>;
}

/** The running service and its running peers, with equally many farmers and partners each. */
export class LookupEnvironment {
  private constructor(
    readonly service: BenchService,
    private readonly peers: readonly Peer[],
    readonly ours: LoadedSide,
    /** The bare peer, which only charges. */
    readonly bare: LoadedSide,
    /** The peer that also does what an auditor asks for. */
    readonly audited: LoadedSide,
  ) {}

  /** @param eventStoreUrl connection string of an empty event store for the service, instead of the embedded one */
  static async create(
    cleanUp: CleanUp,
    { farmers, eventStoreUrl }: { readonly farmers: number; readonly eventStoreUrl?: string },
    say: (text: string) => void,
  ): Promise<LookupEnvironment> {
    const env: Readonly<Record<string, string>> = eventStoreUrl === undefined ? {} : { EVENT_STORE_URL: eventStoreUrl };
    const sizes = { farmers, partners: PARTNERS };
    say(`starting the service and its peers with ${farmers} farmers and ${PARTNERS} partners each`);
    const bare = await startPeer(cleanUp, 'crud-lookup', sizes);
    const audited = await startPeer(cleanUp, 'crud-audited', sizes);
    const service = await startService(cleanUp, { env });
    const ids = await importFarmers(cleanUp, service.dataDir, farmers, { env });
    const partners = await createPartners(service, PARTNERS);
    for (const peer of [bare, audited]) await applyServiceSettings(peer.databaseUrl);
    for (const { databaseUrl } of [bare, audited, service.stores]) await requireDurable(databaseUrl);
    return new LookupEnvironment(
      service,
      [bare, audited],
      sideOf(cleanUp, service, { ids, keys: partners.map(({ key }) => key) }),
      peerSideOf(cleanUp, bare, sizes),
      peerSideOf(cleanUp, audited, sizes),
    );
  }

  async close(): Promise<void> {
    await this.service.stop();
    for (const peer of this.peers) await peer.stop();
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
    untilIdle: () => untilCaughtUp(service),
  };
}

export function peerSideOf(cleanUp: CleanUp, peer: Peer, { farmers, partners }: { farmers: number; partners: number }): LoadedSide {
  return {
    name: peer.name,
    pid: peer.pid,
    url: peer.url,
    databaseUrl: peer.databaseUrl,
    idsFile: linesFile(cleanUp, peerNames('rp-', farmers)),
    keysFile: (count) => linesFile(cleanUp, peerNames('key-', Math.min(count, partners))),
    untilIdle: () => Promise.resolve(),
  };
}
