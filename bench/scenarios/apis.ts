import { type Bench, type Scenario } from '../bench.js';
import { ApiProcesses, type ApisLoad, type MeasuredApis } from '../environment/api-processes.js';
import { PARTNERS } from '../environment/lookup-environment.js';
import { type Figure } from '../report/figure.js';
import { alternating } from '../support/statistics.js';

type Load = Pick<ApisLoad, 'apis' | 'balance' | 'partners'>;

const WALLETS = [1, PARTNERS];
type Sharing = Pick<ApisLoad, 'apis' | 'balance'>;

const MOST_APIS = 8;

/**
 * Returns what is compared with one API, for which both ways to balance are the same. Eight APIs are measured where they disturb each
 * other most, and where they share no wallet: that shows what so many processes cost on these cores by themselves.
 */
function sharingOf(partners: number): readonly Sharing[] {
  const most = partners === 1 ? 'round-robin' : 'hash';
  return (['hash', 'round-robin'] as const).flatMap((balance) =>
    [2, 4, ...(balance === most ? [MOST_APIS] : [])].map((apis) => ({ apis, balance })),
  );
}

/** Compares several APIs that share wallets with one API, as lookups reach them through different load balancers. */
export const apis: Scenario = {
  name: 'apis',
  description: 'billed lookups by 1, 2, 4 and 8 APIs behind a load balancer that hashes the API key or takes turns, for 1 and 100 wallets',
  run: async (bench) => {
    const { cleanUp } = bench;
    await bench.closeEnvironment();
    bench.say(`starting the stores, a projector and ${MOST_APIS} APIs`);
    const processes = await ApiProcesses.start(cleanUp, { apis: MOST_APIS, partners: PARTNERS, farmers: bench.size(10_000, 2_000) });
    bench.say('warming up each API alone');
    for (let first = 0; first < MOST_APIS; first += 1)
      await processes.measure({ apis: 1, first, balance: 'hash', partners: PARTNERS, seconds: bench.size(25, 2) });
    const figures: Figure[] = [];
    for (const partners of WALLETS) figures.push(...(await compare(bench, processes, partners)));
    await processes.stop();
    return { figures };
  },
};

async function compare(bench: Bench, processes: ApiProcesses, partners: number): Promise<Figure[]> {
  const loads: readonly Load[] = [
    { apis: 1, balance: 'hash', partners },
    ...sharingOf(partners).map((shared) => ({ ...shared, partners })),
  ];
  const measured = new Map(loads.map((load): [Load, MeasuredApis[]] => [load, []]));
  const rounds = bench.rounds(5, 2);
  for (const [round, order] of alternating(loads, rounds + 1).entries()) {
    for (const load of order) {
      const result = await bench.measureUndisturbed(() => processes.measure({ ...load, seconds: bench.size(10, 4) }));
      // The first round is the warm-up of what the APIs do only together.
      if (round > 0) measured.get(load)?.push(result);
      bench.say(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}, ${nameOf(load)}: ${described(result)}`);
    }
  }
  const [alone = [], ...others] = measured.values();
  return sharingOf(partners).flatMap((shared, index) => figuresOf({ ...shared, partners }, others[index] ?? [], alone));
}

function figuresOf(load: Load, shared: readonly MeasuredApis[], alone: readonly MeasuredApis[]): Figure[] {
  const compared = (pick: (measured: MeasuredApis) => number): Pick<Figure, 'baseline' | 'ours' | 'theirs'> => ({
    baseline: 'one API',
    ours: shared.map(pick),
    theirs: alone.map(pick),
  });
  return [
    { label: `lookups, ${nameOf(load)}`, unit: '/s', ...compared(({ perSecond }) => perSecond), goal: { of: 'ratio', min: 1 } },
    { label: '… p99 latency', unit: 'ms', ...compared(({ p99Ms }) => p99Ms), goal: { of: 'ratio', max: 2 } },
    {
      label: '… conflicts per append',
      baseline: '',
      unit: '',
      ours: shared.map(({ conflictsPerAppend }) => conflictsPerAppend),
      theirs: [],
      goal: { of: 'value', max: 0.2 },
    },
  ];
}

function nameOf({ apis: count, balance, partners }: Load): string {
  const wallets = partners === 1 ? 'one wallet' : `${partners} wallets`;
  return count === 1 ? `one API, ${wallets}` : `${count} APIs, ${balance === 'hash' ? 'hashed' : 'round robin'}, ${wallets}`;
}

function described({ perSecond, p99Ms, conflictsPerAppend, served }: MeasuredApis): string {
  return `${Math.round(perSecond)}/s (${served.join(', ')}), p99 ${p99Ms.toFixed(1)} ms, ${conflictsPerAppend.toFixed(3)} conflicts per append`;
}
