import { type Bench, type Scenario } from '../bench.js';
import { createPartners, type Partner, untilCaughtUp } from '../environment/calls.js';
import { query } from '../environment/database.js';
import { importFarmers } from '../environment/farmers.js';
import { type LoadedSide, sideOf } from '../environment/lookup-environment.js';
import { type BenchService, startService } from '../environment/service-process.js';
import { compiled, run } from '../support/child-programs.js';
import { againstPeers, compareLoads } from '../support/compare-loads.js';

/** Farmers with equally many reports. Few suffice, because a lookup reads one row of one farmer. */
const FARMERS = 20;
/** As many as a section lists, so that lookups of these farmers show as much as those of farmers with more reports. */
const LISTED = 100;
/** Contributions above all that the service numbers itself. */
const FIRST_CONTRIBUTION = 1_000_000_000;

/**
 * Checks that a lookup does not cost more with more reports about the farmer. The sides are three sets of farmers of one service, looked up
 * by one bank, to which a lookup shows the newest 100 loans. So the responses about 100 and 20,000 reports are equally long, while those about
 * none are shorter and are compared for information only.
 */
export const farmerReports: Scenario = {
  name: 'farmer-reports',
  description: 'lookups of farmers with 20,000 reports each, compared with 100 and with none',
  run: async (bench) => {
    await bench.closeEnvironment();
    const counts = [0, LISTED, bench.size(20_000, 2_000)];
    const { service, sides } = await start(bench, counts);
    const [none, few, many] = sides as [LoadedSide, LoadedSide, LoadedSide];
    const measured = await compareLoads(bench, sides, {
      kind: 'lookup',
      partners: 1,
      seconds: bench.size(8, 3),
      warmUpSeconds: bench.size(60, 3),
      rounds: bench.rounds(5, 2),
    });
    await service.stop();
    const peers = [
      { peer: few, goals: { perSecond: { of: 'ratio', min: 0.9 }, postgres: { of: 'ratio', max: 1.1 } } },
      { peer: none, goals: {} },
    ] as const;
    return againstPeers(measured, { ours: many, peers, label: `lookups, ${many.name} a farmer`, each: 'lookup' });
  },
};

/** Starts a service, and appends the reports about each set of farmers to its log, from which its own projector makes the rows. */
async function start(bench: Bench, counts: readonly number[]): Promise<{ service: BenchService; sides: LoadedSide[] }> {
  const { cleanUp } = bench;
  const service = await startService(cleanUp);
  const farmers = await importFarmers(cleanUp, service.dataDir, FARMERS * counts.length);
  const [partner] = (await createPartners(service, 1)) as [Partner];
  const sides: LoadedSide[] = [];
  for (const [index, count] of counts.entries()) {
    const ids = farmers.slice(index * FARMERS, (index + 1) * FARMERS);
    const name = count === 0 ? 'no reports' : `${count.toLocaleString('en')} reports`;
    bench.say(`${name} about each of ${FARMERS} farmers`);
    await report(bench, service, { partner, ids, count, first: FIRST_CONTRIBUTION * (index + 1) });
    sides.push(sideOf(cleanUp, service, { name, ids, keys: [partner.key] }));
  }
  await untilCaughtUp(service);
  await query(service.stores.databaseUrl, 'vacuum analyze');
  return { service, sides };
}

/** @param first number of the first contribution */
async function report(
  { cleanUp }: Bench,
  { stores }: BenchService,
  {
    partner,
    ids,
    count,
    first,
  }: { readonly partner: Partner; readonly ids: readonly string[]; readonly count: number; readonly first: number },
): Promise<void> {
  const args = ['--partner', partner.partner_id, '--farmers', ids.join(','), '--reports', String(count), '--first', String(first)];
  await run(cleanUp, process.execPath, [compiled('bench/workers/fill-reports.js'), ...args], {
    env: { BENCH_STORES: JSON.stringify(stores) },
  });
}
