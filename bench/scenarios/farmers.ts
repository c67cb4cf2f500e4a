import { type Bench, type Scenario } from '../bench.js';
import { compareLoads, loadFigures, type LoadMeasured } from '../support/compare-loads.js';
import { createPartners } from '../world/calls.js';
import { query } from '../world/database.js';
import { importFarmers } from '../world/farmers.js';
import { type LoadedSide, sideOf } from '../world/lookup-world.js';
import { startService } from '../world/service-process.js';

const REAL = 1_000;
/** Rows that are written in one statement. */
const COPIES_AT_ONCE = 50_000;

/**
 * Whether a lookup costs more where there are more farmers. All three are asked for as many different farmers, evenly spread over all
 * that they have: otherwise the one with most would grant a consent with almost every lookup, and the one with least with almost none.
 */
export const farmers: Scenario = {
  name: 'farmers',
  what: 'lookups with 1 thousand, 100 thousand and 1 million farmers, against itself with 1 thousand',
  run: async (bench) => {
    await bench.closeWorld();
    const sizes = [REAL, bench.size(100_000, 10_000), bench.size(1_000_000, 50_000)];
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
    const against = `${REAL.toLocaleString('en')} farmers`;
    return {
      figures: sizes.slice(1).flatMap((size, index) =>
        loadFigures(of(index + 1), of(0), {
          what: `lookups, ${size.toLocaleString('en')} farmers`,
          each: 'lookup',
          against,
          goal: { of: 'ratio', least: 0.9 },
        }),
      ),
      notes: [`${against} are imported; the rest are rows copied from them in the read model, under other ids`],
    };
  },
};

async function start(bench: Bench, size: number): Promise<{ side: LoadedSide; stop: () => Promise<void> }> {
  const { cleanUp } = bench;
  bench.say(`starting the service with ${size} farmers`);
  const service = await startService(cleanUp);
  const real = await importFarmers(cleanUp, service.dataDir, REAL);
  const keys = (await createPartners(service, 1)).map(({ key }) => key);
  for (let from = 1; from < size / REAL; from += COPIES_AT_ONCE / REAL)
    await copy(service.stores.databaseUrl, from, Math.min(size / REAL, from + COPIES_AT_ONCE / REAL) - 1);
  await query(service.stores.databaseUrl, 'vacuum analyze read.farmer_profile');
  const copies = size / REAL;
  // Of every thousand copies a different one of the originals.
  const ids = real.map((id, index) => idOf(id, index % copies));
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
