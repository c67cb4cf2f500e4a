import { farmerProfileProjection } from '../../projections/farmer-profile/farmer-profile.projection.js';
import { signRows } from '../environment/sign-rows.js';
import { type Bench, type Scenario } from '../bench.js';
import { compareLoads, loadFigures, type LoadMeasured } from '../support/compare-loads.js';
import { createPartners } from '../environment/calls.js';
import { query } from '../environment/database.js';
import { importFarmers } from '../environment/farmers.js';
import { type LoadedSide, sideOf } from '../environment/lookup-environment.js';
import { startService } from '../environment/service-process.js';

const IMPORTED = 1_000;
/** Rows per insert statement. */
const ROWS_PER_INSERT = 50_000;

/**
 * Checks that a lookup does not cost more with more farmers. The loads use equally many different farmers, spread evenly over all of a
 * size. Otherwise almost every lookup of the largest size would grant a consent, and almost none of the smallest.
 */
export const farmers: Scenario = {
  name: 'farmers',
  description: 'lookups with 100 thousand and 1 million farmers, compared with 1 thousand',
  run: async (bench) => {
    await bench.closeEnvironment();
    const sizes = [IMPORTED, bench.size(100_000, 10_000), bench.size(1_000_000, 50_000)];
    const sides: LoadedSide[] = [];
    const stops: (() => Promise<void>)[] = [];
    for (const size of sizes) {
      const { side, stop } = await start(bench, size);
      sides.push(side);
      stops.push(stop);
    }
    const measured = await compareLoads(bench, sides, {
      kind: 'lookup',
      partners: 1,
      seconds: bench.size(8, 3),
      warmUpSeconds: bench.size(40, 3),
      rounds: bench.rounds(4, 2),
    });
    for (const stop of stops) await stop();
    const of = (index: number): LoadMeasured[] => measured.get(sides[index] as LoadedSide) ?? [];
    const baseline = `${IMPORTED.toLocaleString('en')} farmers`;
    return {
      figures: sizes.slice(1).flatMap((size, index) =>
        loadFigures(of(index + 1), of(0), {
          label: `lookups, ${size.toLocaleString('en')} farmers`,
          each: 'lookup',
          baseline,
          goals: { perSecond: { of: 'ratio', min: 0.9 } },
        }),
      ),
      notes: [`${baseline} are imported; the others are copies of their rows in the read model, under other ids`],
    };
  },
};

async function start(bench: Bench, size: number): Promise<{ side: LoadedSide; stop: () => Promise<void> }> {
  const { cleanUp } = bench;
  bench.say(`starting the service with ${size} farmers`);
  const service = await startService(cleanUp);
  const imported = await importFarmers(cleanUp, service.dataDir, IMPORTED);
  const keys = (await createPartners(service, 1)).map(({ key }) => key);
  for (let from = 1; from < size / IMPORTED; from += ROWS_PER_INSERT / IMPORTED)
    await copy(service.stores.databaseUrl, from, Math.min(size / IMPORTED, from + ROWS_PER_INSERT / IMPORTED) - 1);
  await signRows(service.stores, farmerProfileProjection);
  await query(service.stores.databaseUrl, 'vacuum analyze read.farmer_profile');
  const copies = size / IMPORTED;
  // Each of the thousand originals is represented by one of its copies, spread evenly over all copies.
  const ids = imported.map((id, index) => idOf(id, index % copies));
  return { side: sideOf(cleanUp, service, { name: `${size} farmers`, ids, keys }), stop: () => service.stop() };
}

function idOf(id: string, copyNumber: number): string {
  return copyNumber === 0 ? id : `${id}-${copyNumber}`;
}

async function copy(databaseUrl: string, from: number, to: number): Promise<void> {
  const columns = await query<{ name: string }>(
    databaseUrl,
    "select column_name as name from information_schema.columns where table_schema = 'read' and table_name = 'farmer_profile' and column_name <> 'rupa_id'",
  );
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  await query(
    databaseUrl,
    `insert into read.farmer_profile (rupa_id, ${names}) select f.rupa_id || '-' || n, ${columns.map(({ name }) => `f."${name}"`).join(', ')}
     from read.farmer_profile f cross join generate_series($1::int, $2::int) n where f.rupa_id not like 'rp-%-%'`,
    [from, to],
  );
}
