import { type Bench, type Measured, type Scenario } from '../bench.js';
import { createPartners } from '../environment/calls.js';
import { requireDurable, writeCheckpoints } from '../environment/database.js';
import { importFarmers } from '../environment/farmers.js';
import { type LoadedSide, PARTNERS, sideOf } from '../environment/lookup-environment.js';
import { startService } from '../environment/service-process.js';
import { type Figure, type Goal } from '../report/figure.js';
import { compiled, run } from '../support/child-programs.js';
import { cpuPartsOf, cpuPerRequest, describeParts } from '../support/cpu-parts.js';
import { cpuSecondsOf, HAS_PROC } from '../support/proc.js';
import { alternating } from '../support/statistics.js';
import { type BulkLoad } from '../workers/bulk-clients.js';

const ITEMS = 50;
const CONNECTIONS = 16;
/** Lists that one account may have running at once. */
const MAX_RUNNING = 4;
const LOOKUPS_PER_SECOND = 20;

interface Load {
  readonly kind: 'lookup' | 'report';
  /** Farmers or reports of a call; 1 makes single calls. */
  readonly items: number;
  readonly connections: number;
  readonly partners: number;
}

interface Measurement extends BulkLoad {
  /** Farmers or reports per second. */
  readonly perSecond: number;
  /** Processor time per farmer or report, of all processes of the service, in µs; NaN if the system does not report it. */
  readonly cpuMicros: number;
  readonly cpuParts: Readonly<Record<string, number>>;
}

interface Comparison {
  readonly label: string;
  readonly each: string;
  readonly list: Load;
  /** Single calls over equally many connections, and over more. */
  readonly singles: readonly Load[];
  readonly perSecond: Goal;
  readonly cpu?: Goal;
}

/** The lists of one account are compared over fewer connections, because further calls would get a 429. */
const COMPARISONS: readonly Comparison[] = [
  {
    label: `farmers looked up ${ITEMS} a call, one wallet, ${MAX_RUNNING} connections`,
    each: 'farmer',
    list: { kind: 'lookup', items: ITEMS, connections: MAX_RUNNING, partners: 1 },
    singles: singlesOf('lookup', 1),
    perSecond: { of: 'ratio', min: 4 },
    cpu: { of: 'value', max: 150 },
  },
  {
    label: `farmers looked up ${ITEMS} a call, ${PARTNERS} wallets, ${CONNECTIONS} connections`,
    each: 'farmer',
    list: { kind: 'lookup', items: ITEMS, connections: CONNECTIONS, partners: PARTNERS },
    singles: singlesOf('lookup', PARTNERS),
    perSecond: { of: 'ratio', min: 8 },
    cpu: { of: 'value', max: 150 },
  },
  {
    label: `reports ${ITEMS} a call, ${PARTNERS} partners, ${CONNECTIONS} connections`,
    each: 'report',
    list: { kind: 'report', items: ITEMS, connections: CONNECTIONS, partners: PARTNERS },
    singles: singlesOf('report', PARTNERS),
    perSecond: { of: 'ratio', min: 5 },
  },
];

function singlesOf(kind: Load['kind'], partners: number): readonly Load[] {
  return [CONNECTIONS, 64].map((connections) => ({ kind, items: 1, connections, partners }));
}

/** Compares lists with single calls, and measures single lookups of one partner beside the lists of another (decisions, "Many at once"). */
export const bulk: Scenario = {
  name: 'bulk',
  description: `lookups and reports ${ITEMS} a call, compared with single calls, and lookups of another partner beside lists`,
  run: async (bench) => {
    await bench.closeEnvironment();
    const farmers = bench.size(10_000, 2_000);
    bench.say(`starting the service with ${farmers} farmers and ${PARTNERS} partners`);
    const service = await startService(bench.cleanUp);
    const ids = await importFarmers(bench.cleanUp, service.dataDir, farmers);
    const keys = (await createPartners(service, PARTNERS)).map(({ key }) => key);
    await requireDurable(service.stores.databaseUrl);
    const side = sideOf(bench.cleanUp, service, { ids, keys });
    const compared: Measured[] = [];
    for (const each of COMPARISONS) compared.push(await compare(bench, side, each));
    const fair = await fairness(bench, side, sideOf(bench.cleanUp, service, { ids, keys: keys.toReversed() }));
    await service.stop();
    return { figures: [...compared.flatMap(({ figures }) => figures), ...fair], notes: compared.flatMap(({ notes = [] }) => notes) };
  },
};

async function compare(bench: Bench, side: LoadedSide, { label, each, list, singles, perSecond, cpu }: Comparison): Promise<Measured> {
  const [seconds, warmUpSeconds] = [bench.size(10, 3), bench.size(30, 3)];
  const loads = [list, ...singles];
  const measured = new Map(loads.map((load): [Load, Measurement[]] => [load, []]));
  for (const load of loads) await measure(bench, side, load, warmUpSeconds);
  const rounds = bench.rounds(5, 2);
  for (const [round, order] of alternating(loads, rounds).entries()) {
    for (const load of order) {
      const result = await bench.measureUndisturbed(() => measure(bench, side, load, seconds));
      measured.get(load)?.push(result);
      bench.say(
        `round ${round + 1} of ${rounds}, ${nameOf(load)}: ${Math.round(result.perSecond)} ${each}s/s, p99 of a call ${result.p99Ms.toFixed(1)} ms, ${Math.round(result.cpuMicros)} µs of CPU per ${each}`,
      );
    }
  }
  const lists = measured.get(list) ?? [];
  const figures = singles.flatMap((single, index): Figure[] => {
    const against = (name: string, unit: string, pick: (one: Measurement) => number, goal?: Goal): Figure => {
      const values = { ours: lists.map(pick), theirs: (measured.get(single) ?? []).map(pick) };
      return { label: name, baseline: nameOf(single), unit, ...values, ...(index === 0 && goal ? { goal } : {}) };
    };
    const p99: Goal = { of: 'value', max: 150 };
    return [
      against(label, '/s', (one) => one.perSecond, perSecond),
      ...(index === 0 ? [{ ...against('… p99 latency of a call', 'ms', ({ p99Ms }) => p99Ms, p99), baseline: '', theirs: [] }] : []),
      ...(HAS_PROC ? [against(`… CPU per ${each}`, 'µs', ({ cpuMicros }) => cpuMicros, cpu)] : []),
    ];
  });
  const notes = [...measured].map(
    ([load, results]) => `CPU per ${each} of ${nameOf(load)}: ${describeParts(results.map(({ cpuParts }) => cpuParts))}`,
  );
  return { figures, notes: HAS_PROC ? notes : [] };
}

function nameOf({ kind, items, connections, partners }: Load): string {
  return `${items === 1 ? 'single' : 'list'} ${kind}s of ${partners}, ${connections} connections`;
}

/** Measures a load. Its processor time includes the work after the last response, such as projecting. */
async function measure(bench: Bench, side: LoadedSide, load: Load, seconds: number): Promise<Measurement> {
  await writeCheckpoints([side.databaseUrl]);
  const [before, partsBefore] = [cpuSecondsOf(side.pid), cpuPartsOf(side.pid)];
  const result = await sent(bench, side, { ...load, seconds });
  await side.untilIdle();
  const items = result.calls * load.items;
  return {
    ...result,
    perSecond: items / result.seconds,
    cpuMicros: HAS_PROC ? ((cpuSecondsOf(side.pid) - before) * 1_000_000) / items : NaN,
    cpuParts: cpuPerRequest(partsBefore, cpuPartsOf(side.pid), items),
  };
}

/** Measures single lookups of the last partner at a steady rate, alone and while the first one has as many lists running as it may. */
async function fairness(bench: Bench, side: LoadedSide, reversed: LoadedSide): Promise<Figure[]> {
  const seconds = bench.size(30, 8);
  const single = { kind: 'lookup', items: 1, connections: CONNECTIONS, partners: 1 } as const;
  const list = { ...single, items: ITEMS, connections: MAX_RUNNING };
  const evenly = (): Promise<BulkLoad> => sent(bench, reversed, { ...single, seconds, rate: LOOKUPS_PER_SECOND });
  const alone = evenly;
  const beside = async (): Promise<BulkLoad> => (await Promise.all([evenly(), sent(bench, side, { ...list, seconds })]))[0];
  await beside();
  const measured = new Map([alone, beside].map((each): [() => Promise<BulkLoad>, BulkLoad[]] => [each, []]));
  for (const order of alternating([alone, beside], bench.rounds(5, 2))) {
    for (const each of order) {
      const result = await bench.measureUndisturbed(each);
      await side.untilIdle();
      measured.get(each)?.push(result);
      bench.say(
        `single lookups ${each === alone ? 'alone' : 'beside lists'}: ${result.calls} calls, p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms`,
      );
    }
  }
  const figure = (label: string, pick: (one: BulkLoad) => number, goal?: Goal): Figure => ({
    label,
    baseline: 'the same, alone',
    unit: 'ms',
    ours: (measured.get(beside) ?? []).map(pick),
    theirs: (measured.get(alone) ?? []).map(pick),
    ...(goal ? { goal } : {}),
  });
  return [
    figure(`single lookups, ${LOOKUPS_PER_SECOND} a second, beside ${MAX_RUNNING} lists of another partner: median`, ({ p50Ms }) => p50Ms),
    figure('… p99 latency', ({ p99Ms }) => p99Ms, { of: 'ratio', max: 2 }),
  ];
}

/** Runs the clients in a process of their own. */
async function sent(
  { cleanUp }: Bench,
  side: LoadedSide,
  { partners, ...load }: Load & { readonly seconds: number; readonly rate?: number },
): Promise<BulkLoad> {
  const args = Object.entries({ url: side.url, keys: side.keysFile(partners), ids: side.idsFile, ...load }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  return JSON.parse(await run(cleanUp, process.execPath, [compiled('bench/workers/bulk-clients.js'), ...args])) as BulkLoad;
}
