import { PriceHistory } from '../../src/contexts/pricing/domain/price-history.js';
import { brokenInvariants } from '../support/ledger-invariants.js';
import { scheduleFailure, healEverything } from './chaos.js';
import { type EvidenceLine } from '../support/evidence-history.js';
import { type LedgerEvent } from '../../src/contexts/accounting/domain/events.js';
import { closableFrom, monthAt } from '../../src/contexts/accounting/domain/month.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { toNaira } from '../../src/kernel/money.js';
import { Clients } from './clients.js';
import { evidenceOf } from './history-evidence.js';
import { PRICE_BOOKS } from './instance.js';
import { MONTHS, monthsKept } from './months-kept.js';
import { EPOCH_MS } from './process.js';
import { STREAM, World } from './world.js';

const SWEEP_EVERY_MS = 10_000;
/** After this time, every message sent before the failures ended has arrived or is lost. */
const MAX_MESSAGE_DELAY_MS = 90_000;
/** Long enough for a charge to become stale, for two sweeps, and for the delay of a settlement. */
const SWEEP_AND_SETTLE_MS = 100_000;

export interface History {
  readonly faults: readonly string[];
  readonly evidence: readonly EvidenceLine[];
  /** Whether the database's clock was wrong at some time, so that a process with the same fault may have dated events. */
  readonly hasWrongDatabaseClock: boolean;
  readonly lines: readonly string[];
  readonly entries: number;
}

/** Runs the history of a seed. The seed determines the requests, the failures and the order of all steps. */
export async function runHistory(seed: number): Promise<History> {
  const world = new World(seed);
  const clients = new Clients(world);
  const { random } = Math;
  const { stackTraceLimit } = Error;
  // The stream writer's jitter is the only randomness of the service that affects the order of steps.
  Math.random = () => world.random.next();
  // Stack traces would take most of the time, and no test reads them.
  Error.stackTraceLimit = 0;
  try {
    const horizonMs = world.random.pick([3_000, 20_000, 100_000]);
    const closesMonths = world.random.chance(0.5);
    for (let slot = world.random.between(1, 3); slot >= 1; slot -= 1) world.start(slot - 1);
    scheduleSweeps(world);
    const bursts = Array.from({ length: world.random.between(1, 4) }, () => world.random.between(0, horizonMs));
    if (closesMonths) await passMonth(world, clients);
    const begunMs = world.scheduler.now;
    scheduleRequests(world, clients, horizonMs, bursts);
    if (closesMonths) scheduleBooks(world, clients, horizonMs, bursts);
    for (let breakdowns = world.random.between(0, 5); breakdowns > 0; breakdowns -= 1) scheduleFailure(world, horizonMs, bursts);
    await world.scheduler.runUntil(begunMs + horizonMs + 90_000);
    healEverything(world);
    await world.scheduler.runUntil(world.scheduler.now + MAX_MESSAGE_DELAY_MS);
    void clients.retryKeyedLookups();
    if (closesMonths) void closeInTheEnd(world, clients);
    await world.scheduler.runUntil(world.scheduler.now + MAX_MESSAGE_DELAY_MS + SWEEP_AND_SETTLE_MS);
    return { ...checkHistory(world, clients), evidence: await evidenceOf(world, EPOCH_MS) };
  } finally {
    Math.random = random;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function checkHistory(world: World, clients: Clients): Omit<History, 'evidence'> {
  const { entries, faults, lines } = world;
  const ledger = { stream: STREAM, entries };
  const prices = new PriceHistory(...PRICE_BOOKS);
  const broken = brokenInvariants(ledger, clients.seen(), new Date(EPOCH_MS + world.scheduler.time).toISOString(), prices);
  const withoutResponse = clients.seen().lookups.filter(({ keyed, statuses }) => keyed && ![200, 402].includes(statuses.at(-1) ?? 0));
  return {
    faults: [
      ...faults,
      ...broken,
      ...monthsKept(world.log as unknown as (WalletEvent | LedgerEvent)[], clients.booked, !world.hasWrongDatabaseClock),
      ...withoutResponse.map(
        ({ source, statuses }) => `The keyed lookup ${source} never got a final response; its statuses are ${statuses.join(', ')}.`,
      ),
    ],
    lines,
    entries: entries.length,
    hasWrongDatabaseClock: world.hasWrongDatabaseClock,
  };
}

/**
 * Schedules lookups, alone and in bursts, some with keys and some sent twice at the same time, and credits that are small enough for the
 * wallet to become empty.
 */
function scheduleRequests(world: World, clients: Clients, horizonMs: number, bursts: readonly number[]): void {
  const { random, scheduler } = world;
  const randomTime = (): number => (random.chance(0.5) ? random.pick(bursts) + random.between(0, 10) : random.between(0, horizonMs));
  scheduler.after(0, () => void clients.credit('opening', random.between(1, 20) * 50, 10));
  for (let credit = random.between(0, 3); credit > 0; credit -= 1) {
    const reference = `r${random.between(1, 3)}`;
    scheduler.after(randomTime(), () => void clients.credit(reference, random.between(1, 3) * 50, 5));
  }
  for (let lookup = random.between(3, 14); lookup > 0; lookup -= 1) {
    const key = random.chance(0.6) ? `key-${lookup}` : undefined;
    const rupa_ids = random.chance(0.3) ? ['rp-1', 'rp-2', 'rp-3', 'rp-4'].slice(0, random.between(2, 4)) : [`rp-${random.between(1, 3)}`];
    const list = { rupa_ids, allow_partial: rupa_ids.length > 1 && random.chance(0.4) };
    const plan = { source: `s${lookup}`, ...list, key, timeoutMs: random.pick([2_000, 12_000, 60_000]) };
    const at = randomTime();
    const senders = key !== undefined && random.chance(0.3) ? 2 : 1;
    for (let sender = 0; sender < senders; sender += 1)
      scheduler.after(at + random.between(0, 30) * sender, () => void clients.lookUp(plan, random.between(1, 6)));
  }
  for (let reversal = random.between(0, 3); reversal > 0; reversal -= 1) {
    const amountKobo = random.chance(0.5) ? null : random.between(1, 3) * 25;
    const [credit, reference] = [random.pick(['opening', 'r1', 'r2', 'r3', 'v1']), random.pick(['v1', 'v2', 'r1'])];
    scheduler.after(randomTime(), () => void clients.reverse(credit, amountKobo, reference, 5));
  }
  for (let payout = random.between(0, 2); payout > 0; payout -= 1) {
    const [amountKobo, reference] = [random.between(1, 3) * 25, random.pick(['p1', 'p2', 'v1', 'r1'])];
    scheduler.after(randomTime(), () => void clients.payOut(amountKobo, reference, 5));
  }
  for (let compensation = random.between(0, 3); compensation > 0; compensation -= 1)
    scheduler.after(randomTime(), () => {
      compensateAny(world, clients);
    });
  for (let refund = random.between(0, 2); refund > 0; refund -= 1)
    scheduler.after(randomTime(), () => {
      refundClosed(world);
    });
}

/**
 * Lets the last seconds of a month pass and all clocks be set, together, to about the time from which it can be closed. No failure delays a
 * message before that, so none that was dated in the month is still under way; a process that is killed leaves charges of the month open.
 */
async function passMonth(world: World, clients: Clients): Promise<void> {
  const { random, scheduler } = world;
  void clients.credit('opening', random.between(4, 20) * 50, 10);
  for (let lookup = random.between(1, 4); lookup > 0; lookup -= 1) {
    const rupa_ids = [`rp-${random.between(1, 3)}`];
    const plan = { source: `n${lookup}`, rupa_ids, allow_partial: false, key: undefined, timeoutMs: 60_000 };
    scheduler.after(random.between(50, 3_000), () => void clients.lookUp(plan, 1));
  }
  for (let entry = random.between(0, 2); entry > 0; entry -= 1) postAny(world, clients);
  await scheduler.runUntil(random.between(100, 5_000));
  // An append that is on its way would reach the store minutes after its date.
  while (!world.eventStoreNetwork.isIdle) await scheduler.runUntil(scheduler.now + 1);
  if (random.chance(0.3)) {
    world.kill(0);
    world.start(0);
  }
  const closableMs = Date.parse(closableFrom(monthAt(new Date(EPOCH_MS).toISOString()))) - EPOCH_MS;
  scheduler.leaptMs = closableMs - random.between(0, 15_000) - scheduler.now;
  world.trace(`every clock is set ahead by ${scheduler.leaptMs} ms`);
  await scheduler.runUntil(scheduler.now + 1_000);
}

/** Schedules entries of the books, in a closed month as well, and closes of months, in any order and several at the same time. */
function scheduleBooks(world: World, clients: Clients, horizonMs: number, bursts: readonly number[]): void {
  const { random, scheduler } = world;
  const randomTime = (): number => (random.chance(0.5) ? random.pick(bursts) + random.between(0, 50) : random.between(0, horizonMs));
  for (let entry = random.between(0, 8); entry > 0; entry -= 1)
    scheduler.after(randomTime(), () => {
      postAny(world, clients);
    });
  for (let close = random.between(1, 6); close > 0; close -= 1) {
    const month = random.pick(MONTHS);
    scheduler.after(randomTime(), () => void clients.closeMonth(month, 8));
  }
}

/** Posts one of a few entries, dated in the present month or one of the two before. */
function postAny({ random }: World, clients: Clients): void {
  const kind = random.pick(['bank_charge', 'bank_charge', 'bank_interest', 'vat_remittance', 'reversal']);
  const [amount, of] = kind === 'reversal' ? [undefined, random.pick(['e1', 'e2', 'e3'])] : [toNaira(random.between(1, 3)), undefined];
  const [day, reference] = [random.pick(['10-31', '11-01', '11-30', '12-01']), `e${random.between(1, 7)}`];
  void clients.post({ kind, amount, of, reference, date: `2026-${day}`, reason: 'the bank says so' }, 5);
}

/** Closes the months that have ended, which must succeed once all failures are over. */
async function closeInTheEnd(world: World, clients: Clients): Promise<void> {
  for (const month of MONTHS.slice(0, 2))
    if (!(await clients.closeMonth(month, 20))) world.faults.push(`The month ${month} could not be closed after all failures.`);
}

/** Compensates a lookup in whatever state its charge is. */
function compensateAny({ entries, random }: World, clients: Clients): void {
  const debits = entries.filter(({ type }) => type === 'WalletDebited');
  if (debits.length > 0) void clients.compensate(String(random.pick(debits).data.lookup_id), 5);
}

/** Tries to refund a settled charge, which must have no effect. */
function refundClosed(world: World): void {
  const closed = world.entries.flatMap(({ type, data }) => (type === 'ChargesSettled' ? (data.charges as { lookup_id: string }[]) : []));
  const [charge] = closed;
  if (charge && world.running.length > 0)
    void world.random
      .pick(world.running)
      .refund(charge.lookup_id)
      .catch(() => undefined);
}

/** Schedules the sweep of stale charges (src/contexts/wallet/charging/stale-charges.ts) on every running instance until the history ends. */
function scheduleSweeps(world: World): void {
  world.scheduler.after(SWEEP_EVERY_MS, () => {
    for (const instance of world.running) {
      // A paused instance sweeps when it resumes.
      instance.process.deliver('timer', () => void instance.sweep().catch(() => undefined));
    }
    scheduleSweeps(world);
  });
}
