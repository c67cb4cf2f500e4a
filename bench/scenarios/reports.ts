import { type Scenario } from '../bench.js';
import { againstPeers, compareLoads, type LoadGoals } from '../support/compare-loads.js';
import { createPartners } from '../environment/calls.js';
import { applyServiceSettings, requireDurable } from '../environment/database.js';
import { importFarmers } from '../environment/farmers.js';
import { PARTNERS, peerSideOf, sideOf } from '../environment/lookup-environment.js';
import { startPeer } from '../environment/peer.js';
import { startService } from '../environment/service-process.js';

/** Compares reports with new references. The audited peer does what the service does with one: encryption, history, usage and outbox. */
export const reports: Scenario = {
  name: 'reports',
  description: 'reports, 64 connections, from 100 partners, compared with the bare and the audited CRUD peer',
  run: async (bench) => {
    const { cleanUp } = bench;
    await bench.closeEnvironment();
    const farmers = bench.size(10_000, 2_000);
    const sizes = { farmers, partners: PARTNERS };
    bench.say(`starting the service and its peers with ${farmers} farmers and ${PARTNERS} partners each`);
    const peers = [await startPeer(cleanUp, 'crud-report', sizes), await startPeer(cleanUp, 'crud-report-audited', sizes)];
    const service = await startService(cleanUp);
    const ids = await importFarmers(cleanUp, service.dataDir, farmers);
    const keys = (await createPartners(service, PARTNERS)).map(({ key }) => key);
    for (const { databaseUrl } of peers) await applyServiceSettings(databaseUrl);
    for (const { databaseUrl } of [...peers, service.stores]) await requireDurable(databaseUrl);
    const ours = sideOf(cleanUp, service, { ids, keys });
    const theirs = peers.map((peer) => peerSideOf(cleanUp, peer, sizes));
    const measured = await compareLoads(bench, [ours, ...theirs], {
      kind: 'report',
      partners: PARTNERS,
      seconds: bench.size(8, 4),
      warmUpSeconds: bench.size(60, 4),
      rounds: bench.rounds(5, 2),
    });
    await service.stop();
    for (const peer of peers) await peer.stop();
    const goals: readonly LoadGoals[] = [{}, { perSecond: { of: 'ratio', min: 0.7 }, p99: { of: 'ratio', max: 1 } }];
    return againstPeers(measured, {
      ours,
      peers: theirs.map((peer, index) => ({ peer, goals: goals[index] ?? {} })),
      label: 'reports',
      each: 'report',
    });
  },
};
