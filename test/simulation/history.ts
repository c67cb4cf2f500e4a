import { brokenInvariants } from '../support/ledger-invariants.js';
import { breakSomething, healEverything } from './chaos.js';
import { Clients } from './clients.js';
import { STREAM, World } from './world.js';

const SWEEP_EVERY_MS = 10_000;
/** A message sent before everything was healed has arrived, or never will. */
const STRAGGLERS_MS = 90_000;
/** A charge is left alone for a minute; then a sweep or two, and the settlements' own wait. */
const SWEPT_MS = 100_000;
const EPOCH_MS = Date.UTC(2026, 10, 21, 10);

export interface History {
  readonly faults: readonly string[];
  readonly lines: readonly string[];
  readonly entries: number;
}

/** One history from one number: who asks what when, what breaks, and in which order everything happens. */
export async function runHistory(seed: number): Promise<History> {
  const world = new World(seed);
  const clients = new Clients(world);
  const { random } = Math;
  const { stackTraceLimit } = Error;
  // The writer's jitter, the only chance in the service that decides an order.
  Math.random = () => world.random.next();
  // Most of a history's time would go into stacks that nobody reads.
  Error.stackTraceLimit = 0;
  try {
    const horizonMs = world.random.pick([3_000, 20_000, 100_000]);
    for (let place = world.random.between(1, 3); place >= 1; place -= 1) world.start(place - 1);
    sweepForEver(world);
    const bursts = Array.from({ length: world.random.between(1, 4) }, () => world.random.between(0, horizonMs));
    ask(world, clients, horizonMs, bursts);
    for (let breakdowns = world.random.between(0, 5); breakdowns > 0; breakdowns -= 1) breakSomething(world, horizonMs, bursts);
    await world.scheduler.runUntil(horizonMs + 90_000);
    healEverything(world);
    await world.scheduler.runUntil(world.scheduler.now + STRAGGLERS_MS);
    void clients.fetchAll();
    await world.scheduler.runUntil(world.scheduler.now + STRAGGLERS_MS + SWEPT_MS);
    return verdict(world, clients);
  } finally {
    Math.random = random;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function verdict(world: World, clients: Clients): History {
  const { entries, faults, lines } = world;
  const ledger = { stream: STREAM, entries };
  const broken = brokenInvariants(ledger, clients.seen(), new Date(EPOCH_MS + world.scheduler.now).toISOString());
  const unfetched = clients.seen().lookups.filter(({ keyed, statuses }) => keyed && ![200, 402].includes(statuses.at(-1) ?? 0));
  return {
    faults: [
      ...faults,
      ...broken,
      ...unfetched.map(({ source, statuses }) => `The key of ${source} was never answered: ${statuses.join(', ')}.`),
    ],
    lines,
    entries: entries.length,
  };
}

/** Lookups alone and in bursts, some with keys, some sent twice at once; credits, small enough for a wallet to run dry. */
function ask(world: World, clients: Clients, horizonMs: number, bursts: readonly number[]): void {
  const { random, scheduler } = world;
  const someTime = (): number => (random.chance(0.5) ? random.pick(bursts) + random.between(0, 10) : random.between(0, horizonMs));
  scheduler.after(0, () => void clients.credit('opening', random.between(1, 20) * 50, 10));
  for (let credit = random.between(0, 3); credit > 0; credit -= 1) {
    const reference = `r${random.between(1, 3)}`;
    scheduler.after(someTime(), () => void clients.credit(reference, random.between(1, 3) * 50, 5));
  }
  for (let lookup = random.between(3, 14); lookup > 0; lookup -= 1) {
    const key = random.chance(0.6) ? `key-${lookup}` : undefined;
    const plan = { source: `s${lookup}`, rupa_id: `rp-${random.between(1, 3)}`, key, patienceMs: random.pick([2_000, 12_000, 60_000]) };
    const at = someTime();
    const senders = key !== undefined && random.chance(0.3) ? 2 : 1;
    for (let sender = 0; sender < senders; sender += 1)
      scheduler.after(at + random.between(0, 30) * sender, () => void clients.lookUp(plan, random.between(1, 6)));
  }
  for (let refund = random.between(0, 2); refund > 0; refund -= 1)
    scheduler.after(someTime(), () => {
      refundClosed(world);
    });
}

/** A charge that is closed stays as it is, whoever asks. */
function refundClosed(world: World): void {
  const closed = world.entries.flatMap(({ type, data }) => (type === 'ChargesSettled' ? (data.charges as { lookup_id: string }[]) : []));
  const [charge] = closed;
  if (charge && world.running.length > 0)
    void world.random
      .pick(world.running)
      .refund(charge.lookup_id)
      .catch(() => undefined);
}

/** src/contexts/wallet/stale-charges.ts: every instance, all the time. */
function sweepForEver(world: World): void {
  world.scheduler.after(SWEEP_EVERY_MS, () => {
    for (const instance of world.running) {
      // One that stands still sweeps when it goes on.
      instance.process.deliver('timer', () => void instance.sweep().catch(() => undefined));
    }
    sweepForEver(world);
  });
}
