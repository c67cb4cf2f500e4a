import { type Bench } from '../bench.js';
import { type Load, type LoadResult } from '../load/load-generator.js';
import { type Figure, type Goal } from '../report/figure.js';
import { writeCheckpoints } from '../environment/database.js';
import { type LoadedSide } from '../environment/lookup-environment.js';
import { cpuPartsOf, cpuPerRequest, describeParts } from './cpu-parts.js';
import { cpuSecondsOf, HAS_PROC } from './proc.js';
import { alternating } from './statistics.js';

export interface LoadMeasured extends LoadResult {
  /** Processor time per request of all processes of the side, including PostgreSQL, in µs; undefined if the system does not report it. */
  readonly cpuMicros: number | undefined;
  readonly cpuParts: Readonly<Record<string, number>>;
}

export interface ComparedLoads {
  readonly kind: Load['kind'];
  readonly partners: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
}

const CONNECTIONS = 64;

/** Puts the same load on the sides in turn. Returns the results of all rounds by side. */
export async function compareLoads(
  bench: Bench,
  sides: readonly LoadedSide[],
  options: ComparedLoads,
): Promise<Map<LoadedSide, LoadMeasured[]>> {
  const { kind, partners, seconds, warmUpSeconds, rounds } = options;
  const loads = new Map(
    sides.map((side) => [
      side,
      { kind, url: side.url, keysFile: side.keysFile(partners), idsFile: side.idsFile, connections: CONNECTIONS, seconds },
    ]),
  );
  const measured = new Map(sides.map((side): [LoadedSide, LoadMeasured[]] => [side, []]));
  const databases = sides.map(({ databaseUrl }) => databaseUrl);
  bench.say(`warming up, in turns, ${warmUpSeconds} s each`);
  // The sides warm up in turn, too. A side that idles for minutes while the others warm up would start the first round cold.
  for (let warmed = 0; warmed < warmUpSeconds; warmed += seconds) {
    for (const [side, load] of loads) {
      await bench.load.run({ ...load, seconds: Math.min(seconds, warmUpSeconds - warmed) });
      await side.untilIdle();
    }
  }
  for (const [round, order] of alternating([...loads], rounds).entries()) {
    for (const [side, load] of order) {
      const result = await bench.measureUndisturbed(async () => {
        await writeCheckpoints(databases);
        return await measureLoad(bench, side, load);
      });
      measured.get(side)?.push(result);
      bench.say(
        `round ${round + 1} of ${rounds}, ${side.name}: ${Math.round(result.perSecond)}/s, p99 ${result.p99Ms.toFixed(1)} ms${result.cpuMicros === undefined ? '' : `, ${Math.round(result.cpuMicros)} µs of CPU each`}`,
      );
    }
  }
  return measured;
}

/** Measures a load. Its processor time includes the work after the last response, such as projecting. */
export async function measureLoad(bench: Bench, side: Pick<LoadedSide, 'pid' | 'untilIdle'>, load: Load): Promise<LoadMeasured> {
  const [before, partsBefore] = [cpuSecondsOf(side.pid), cpuPartsOf(side.pid)];
  const result = await bench.load.run(load);
  await side.untilIdle();
  const cpuMicros = HAS_PROC ? ((cpuSecondsOf(side.pid) - before) * 1_000_000) / result.requests : undefined;
  return { ...result, cpuMicros, cpuParts: cpuPerRequest(partsBefore, cpuPartsOf(side.pid), result.requests) };
}

export interface LoadFigures {
  readonly label: string;
  /** Name of one request, such as `lookup`. */
  readonly each: string;
  readonly baseline: string;
  readonly goal: Goal;
  readonly p99Goal?: Goal;
}

/** Returns the figures for throughput, latency and processor time of one side compared with another. */
export function loadFigures(
  ours: readonly LoadMeasured[],
  theirs: readonly LoadMeasured[],
  { label, each, baseline, goal, p99Goal }: LoadFigures,
): Figure[] {
  const figure = (name: string, unit: string, pick: (measured: LoadMeasured) => number, its?: Goal): Figure => ({
    label: name,
    baseline,
    unit,
    ours: ours.map(pick),
    theirs: theirs.map(pick),
    ...(its ? { goal: its } : {}),
  });
  const cost = HAS_PROC ? [figure(`… CPU per ${each}`, 'µs', ({ cpuMicros }) => cpuMicros ?? NaN)] : [];
  return [figure(label, '/s', ({ perSecond }) => perSecond, goal), figure('… p99 latency', 'ms', ({ p99Ms }) => p99Ms, p99Goal), ...cost];
}

/** Returns notes that help to judge the ratio: the sizes of the responses and the parts of the processor time. */
export function loadNotes(ours: readonly LoadMeasured[], theirs: readonly LoadMeasured[]): string[] {
  const size = (all: readonly LoadMeasured[]): number =>
    Math.round(all.reduce((sum, { bytesPerResponse }) => sum + bytesPerResponse, 0) / all.length);
  const parts = (all: readonly LoadMeasured[]): string => describeParts(all.map(({ cpuParts }) => cpuParts));
  const sizes = `a response has ${size(ours)} bytes with its headers, the peer's ${size(theirs)}`;
  return HAS_PROC ? [sizes, `CPU per request of the service: ${parts(ours)}`, `CPU per request of the peer: ${parts(theirs)}`] : [sizes];
}
