import { type Bench, type Scenario } from '../bench.js';
import { admin } from '../environment/calls.js';
import { ConsoleClient } from '../environment/console-client.js';
import { LONGEST_WALLET, startOnConsoleWorld } from '../environment/console-world.js';
import { type BenchService } from '../environment/service-process.js';
import { type Figure, type Goal } from '../report/figure.js';
import { number } from '../report/numbers.js';
import { percentile } from '../support/statistics.js';

const DAY_MS = 86_400_000;
const GOAL: Goal = { of: 'value', max: 150 };
/** Uncounted visits of each screen, in which V8 compiles it and the caches fill. */
const WARM_UP = 5;

/** Measures every screen of the console on a service with many partners and entries, one visit at a time. */
export const consoleScreens: Scenario = {
  name: 'console',
  description: 'every screen of the console, with a thousand partners and a million wallet entries',
  run: async (bench) => {
    await bench.closeEnvironment();
    const service = await startOnConsoleWorld(bench, {
      partners: bench.size(1_000, 200),
      entries: bench.size(1_000_000, 50_000),
      longest: bench.size(100_000, 20_000),
      calls: bench.size(20_000, 2_000),
      deliveries: bench.size(50_000, 5_000),
    });
    const screens = await screensOf(service);
    const client = await ConsoleClient.signIn(service);
    const figures: Figure[] = [];
    const slowest: string[] = [];
    for (const [screen, path] of screens) {
      const times = await visits(bench, client, path);
      figures.push({ label: `console: ${screen}`, baseline: '', unit: 'ms', ours: times, theirs: [], goal: GOAL });
      const p99 = percentile(times, 0.99);
      bench.say(`${screen}: ${number(percentile(times, 0.5))} ms, p99 ${number(p99)} ms`);
      slowest.push(`${screen} ${number(p99)}`);
    }
    await service.stop();
    return { figures, notes: [`p99 in ms: ${slowest.join(', ')}`] };
  },
};

async function visits(bench: Bench, client: ConsoleClient, path: string): Promise<number[]> {
  for (let visit = 0; visit < WARM_UP; visit += 1) await client.visit(path);
  const count = bench.size(40, 20);
  return await bench.measureUndisturbed(async () => {
    const times: number[] = [];
    for (let visit = 0; visit < count; visit += 1) times.push(await client.visit(path));
    return times;
  });
}

interface Entry {
  readonly type: string;
  readonly lookup_id: string | null;
  readonly rupa_id: string | null;
}

/** Returns the name and the path of each screen, with ids that the service has. */
async function screensOf(service: BenchService): Promise<readonly (readonly [name: string, path: string])[]> {
  const wallet = `/partners/${LONGEST_WALLET}/wallet`;
  const { entries } = await admin<{ entries: readonly Entry[] }>(service, 'GET', `${wallet}/entries?from=500&limit=50`);
  const debit = entries.find(({ type }) => type === 'WalletDebited');
  if (!debit) throw new Error('The longest wallet has no charge: fill-console.ts no longer writes what the service writes.');
  const { endpoints } = await admin<{ endpoints: readonly { id: number }[] }>(service, 'GET', '/webhooks?limit=1');
  const month = new Date(Date.now() - 60 * DAY_MS).toISOString().slice(0, 7);
  // Almost all entries of the longest wallet are newer.
  const early = new Date(Date.now() - 350 * DAY_MS).toISOString().slice(0, 10);
  const pages = `/console/wallets/${LONGEST_WALLET}`;
  return [
    ['overview', '/console'],
    ['partners', '/console/partners'],
    ['partners by balance', '/console/partners?sort=balance'],
    ['a partner', `/console/partners/${LONGEST_WALLET}`],
    ['a wallet', pages],
    ['a wallet, older entries', `${pages}?last=5000`],
    ['a wallet at a time', `${pages}?at=${early}T12:00`],
    ['a wallet over a month', `${pages}?from=${month}-01&to=${month}-28`],
    ['a statement', `${pages}/statements/${month}`],
    ['lookups', '/console/lookups'],
    ['a lookup', `/console/lookups/${debit.lookup_id ?? ''}`],
    ['farmers', '/console/farmers'],
    ['a farmer', `/console/farmers/${debit.rupa_id ?? ''}`],
    ['webhooks', '/console/webhooks'],
    ['an endpoint', `/console/webhooks/${endpoints[0]?.id ?? ''}`],
    ['prices', '/console/prices'],
    ['trial balance', '/console/books'],
    ['trial balance at a time', `/console/books?at=${month}-15T12:00:00Z`],
    ['checkpoints', '/console/books/checkpoints'],
    ['reconciliation', '/console/books/reconciliation'],
    ['verify', '/console/verify'],
    ['read models', '/console/read-models'],
    ['audit trail', '/console/administration'],
    ['audit trail of an actor', '/console/administration?actor=amina'],
    ['audit trail of nobody', '/console/administration?actor=nobody'],
    ['tokens', '/console/administration/tokens'],
    ['doctor', '/console/administration/doctor'],
    ['search by name', '/console/search?q=Bench%20Farms%201'],
    ['search by id', `/console/search?q=${debit.lookup_id ?? ''}`],
  ];
}
