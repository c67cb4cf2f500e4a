import { type Bench, type Measured } from '../bench.js';
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
  /** 64 by default. */
  readonly connections?: number;
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
  const { kind, partners, connections = CONNECTIONS, seconds, warmUpSeconds, rounds } = options;
  const loads = new Map(
    sides.map((side) => [side, { kind, url: side.url, keysFile: side.keysFile(partners), idsFile: side.idsFile, connections, seconds }]),
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

/** Ratios to a baseline that are wanted; a figure without one is shown only. */
export interface LoadGoals {
  readonly perSecond?: Goal;
  readonly p50?: Goal;
  readonly p99?: Goal;
  /** Processor time per request of all processes of the side, including PostgreSQL. */
  readonly cpu?: Goal;
  /** Processor time per request of PostgreSQL alone, which is shown only if there is a goal. */
  readonly postgres?: Goal;
}

export interface AgainstPeer {
  readonly peer: LoadedSide;
  readonly goals: LoadGoals;
}

/**
 * Returns the figures of one side compared with each peer, and notes that help to judge the ratios: the sizes of the responses and the
 * parts of the processor time.
 * @param each name of one request, such as `lookup`
 */
export function againstPeers(
  measured: ReadonlyMap<LoadedSide, readonly LoadMeasured[]>,
  { ours, peers, label, each }: { ours: LoadedSide; peers: readonly AgainstPeer[]; label: string; each: string },
): Measured {
  const resultsOf = (side: LoadedSide): readonly LoadMeasured[] => measured.get(side) ?? [];
  const figures = peers.flatMap(({ peer, goals }) =>
    loadFigures(resultsOf(ours), resultsOf(peer), { label, each, baseline: peer.name, goals }),
  );
  const sides = [ours, ...peers.map(({ peer }) => peer)];
  const sizes = sides.map((side) => `${side.name} ${meanSize(resultsOf(side))}`).join(', ');
  const costs = sides.map((side) => `CPU per ${each} of ${side.name}: ${describeParts(resultsOf(side).map(({ cpuParts }) => cpuParts))}`);
  return { figures, notes: [`bytes of a response with its headers: ${sizes}`, ...(HAS_PROC ? costs : [])] };
}

/** Returns the figures for throughput, latency and processor time of one side compared with another. */
export function loadFigures(
  ours: readonly LoadMeasured[],
  theirs: readonly LoadMeasured[],
  { label, each, baseline, goals }: { label: string; each: string; baseline: string; goals: LoadGoals },
): Figure[] {
  const figure = (name: string, unit: string, pick: (one: LoadMeasured) => number, goal?: Goal): Figure => ({
    label: name,
    baseline,
    unit,
    ours: ours.map(pick),
    theirs: theirs.map(pick),
    ...(goal ? { goal } : {}),
  });
  return [
    figure(label, '/s', ({ perSecond }) => perSecond, goals.perSecond),
    figure('… median latency', 'ms', ({ p50Ms }) => p50Ms, goals.p50),
    figure('… p99 latency', 'ms', ({ p99Ms }) => p99Ms, goals.p99),
    ...(HAS_PROC ? [figure(`… CPU per ${each}`, 'µs', ({ cpuMicros }) => cpuMicros ?? NaN, goals.cpu)] : []),
    ...(HAS_PROC && goals.postgres
      ? [figure(`… CPU of PostgreSQL per ${each}`, 'µs', ({ cpuParts }) => cpuParts.PostgreSQL ?? NaN, goals.postgres)]
      : []),
  ];
}

function meanSize(all: readonly LoadMeasured[]): number {
  return Math.round(all.reduce((sum, { bytesPerResponse }) => sum + bytesPerResponse, 0) / all.length);
}
