import { type Bench } from '../bench.js';
import { type Load, type LoadResult } from '../load/load-generator.js';
import { type Figure, type Goal } from '../report/figure.js';
import { settle } from '../world/database.js';
import { type LoadedSide } from '../world/lookup-world.js';
import { cpuPartsOf, cpuPerRequest, describeParts } from './cpu-parts.js';
import { cpuSecondsOf, HAS_PROC } from './proc.js';
import { alternating } from './statistics.js';

export interface LoadMeasured extends LoadResult {
  /** Processor time of every process of the side, PostgreSQL's too, in µs; undefined where the system does not tell. */
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

/** The same load on each side in turn; answers what each round of each side came to. */
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
  // As they are measured: whoever rested while the others were warmed, for minutes, would begin the first round cold.
  for (let warmed = 0; warmed < warmUpSeconds; warmed += seconds) {
    for (const [side, load] of loads) {
      await bench.load.run({ ...load, seconds: Math.min(seconds, warmUpSeconds - warmed) });
      await side.settled();
    }
  }
  for (const [round, order] of alternating([...loads], rounds).entries()) {
    for (const [side, load] of order) {
      const result = await bench.measureUndisturbed(async () => {
        await settle(databases);
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

/** Its cost has what is done after the last answer, too. */
export async function measureLoad(bench: Bench, side: Pick<LoadedSide, 'pid' | 'settled'>, load: Load): Promise<LoadMeasured> {
  const [before, partsBefore] = [cpuSecondsOf(side.pid), cpuPartsOf(side.pid)];
  const result = await bench.load.run(load);
  await side.settled();
  const cpuMicros = HAS_PROC ? ((cpuSecondsOf(side.pid) - before) * 1_000_000) / result.requests : undefined;
  return { ...result, cpuMicros, cpuParts: cpuPerRequest(partsBefore, cpuPartsOf(side.pid), result.requests) };
}

export interface LoadFigures {
  readonly what: string;
  /** Of one request, such as `lookup`. */
  readonly each: string;
  readonly against: string;
  readonly goal: Goal;
  readonly p99Goal?: Goal;
}

/** Throughput, latency and cost of one side against another. */
export function loadFigures(
  ours: readonly LoadMeasured[],
  theirs: readonly LoadMeasured[],
  { what, each, against, goal, p99Goal }: LoadFigures,
): Figure[] {
  const figure = (name: string, unit: string, pick: (measured: LoadMeasured) => number, its?: Goal): Figure => ({
    what: name,
    against,
    unit,
    ours: ours.map(pick),
    theirs: theirs.map(pick),
    ...(its ? { goal: its } : {}),
  });
  const cost = HAS_PROC ? [figure(`… CPU a ${each}`, 'µs', ({ cpuMicros }) => cpuMicros ?? NaN)] : [];
  return [figure(what, '/s', ({ perSecond }) => perSecond, goal), figure('… p99', 'ms', ({ p99Ms }) => p99Ms, p99Goal), ...cost];
}

/** What has to be known of the ratio: bodies of another length cost another time; and where the time went. */
export function loadNotes(ours: readonly LoadMeasured[], theirs: readonly LoadMeasured[]): string[] {
  const size = (all: readonly LoadMeasured[]): number =>
    Math.round(all.reduce((sum, { bytesPerResponse }) => sum + bytesPerResponse, 0) / all.length);
  const parts = (all: readonly LoadMeasured[]): string => describeParts(all.map(({ cpuParts }) => cpuParts));
  const sizes = `an answer has ${size(ours)} bytes with its headers, the peer's ${size(theirs)}`;
  return HAS_PROC ? [sizes, `CPU of the service: ${parts(ours)}`, `CPU of the peer: ${parts(theirs)}`] : [sizes];
}
