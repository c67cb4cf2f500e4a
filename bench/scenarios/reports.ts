import { type Scenario } from '../bench.js';
import { compareLoads, loadFigures, loadNotes } from '../support/compare-loads.js';
import { createPartners } from '../environment/calls.js';
import { applyServiceSettings, requireDurable } from '../environment/database.js';
import { importFarmers } from '../environment/farmers.js';
import { PARTNERS, peerSideOf, sideOf } from '../environment/lookup-environment.js';
import { startPeer } from '../environment/peer.js';
import { startService } from '../environment/service-process.js';

/** Compares reports with new references. */
export const reports: Scenario = {
  name: 'reports',
  description: 'reports, 64 connections, compared with a peer with one insert … on conflict statement',
  run: async (bench) => {
    const { cleanUp } = bench;
    await bench.closeEnvironment();
    const farmers = bench.size(10_000, 2_000);
    bench.say(`starting the service and the peer with ${farmers} farmers and ${PARTNERS} partners each`);
    const peer = await startPeer(cleanUp, 'crud-report', { farmers, partners: PARTNERS });
    const service = await startService(cleanUp);
    const ids = await importFarmers(cleanUp, service.dataDir, farmers);
    const keys = (await createPartners(service, PARTNERS)).map(({ key }) => key);
    await applyServiceSettings(peer.databaseUrl);
    for (const url of [peer.databaseUrl, service.stores.databaseUrl]) await requireDurable(url);
    const ours = sideOf(cleanUp, service, { ids, keys });
    const theirs = peerSideOf(cleanUp, peer, { farmers, partners: PARTNERS });
    const measured = await compareLoads(bench, [ours, theirs], {
      kind: 'report',
      partners: PARTNERS,
      seconds: bench.size(8, 4),
      warmUpSeconds: bench.size(60, 4),
      rounds: bench.rounds(5, 2),
    });
    await service.stop();
    await peer.stop();
    const [here, there] = [measured.get(ours) ?? [], measured.get(theirs) ?? []];
    return {
      figures: loadFigures(here, there, { label: 'reports', each: 'report', baseline: 'crud-report', goal: { of: 'ratio', min: 1 } }),
      notes: loadNotes(here, there),
    };
  },
};
