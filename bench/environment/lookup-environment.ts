import { type CleanUp } from '../support/clean-up.js';
import { createPartners } from './calls.js';
import { applyServiceSettings, requireDurable } from './database.js';
import { importFarmers, linesFile } from './farmers.js';
import { type Peer, peerNames, startPeer } from './peer.js';
import { type BenchService, startService, untilCaughtUp } from './service-process.js';

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

/** The running service and the running peer, with equally many farmers and partners. */
export class LookupEnvironment {
  private constructor(
    readonly service: BenchService,
    private readonly peer: Peer,
    readonly ours: LoadedSide,
    readonly theirs: LoadedSide,
  ) {}

  /** @param eventStoreUrl connection string of an empty event store for the service, instead of the embedded one */
  static async create(
    cleanUp: CleanUp,
    { farmers, eventStoreUrl }: { readonly farmers: number; readonly eventStoreUrl?: string },
    say: (text: string) => void,
  ): Promise<LookupEnvironment> {
    const env: Readonly<Record<string, string>> = eventStoreUrl === undefined ? {} : { EVENT_STORE_URL: eventStoreUrl };
    say(`starting the service and the peer with ${farmers} farmers and ${PARTNERS} partners each`);
    const peer = await startPeer(cleanUp, 'crud-lookup', { farmers, partners: PARTNERS });
    const service = await startService(cleanUp, { env });
    const ids = await importFarmers(cleanUp, service.dataDir, farmers, { env });
    const partners = await createPartners(service, PARTNERS);
    await applyServiceSettings(peer.databaseUrl);
    for (const url of [peer.databaseUrl, service.stores.databaseUrl]) await requireDurable(url);
    return new LookupEnvironment(
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
    untilIdle: () => untilCaughtUp(service),
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
    untilIdle: () => Promise.resolve(),
  };
}
