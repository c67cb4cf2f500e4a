import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rounds } from '../support/length.js';
import { chainUnbroken, moneyConserved } from '../support/ledger-invariants.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { ANY_PRICES } from '../support/unit/wallet-history.js';
import { FakeReply } from './fake-reply.js';
import { type Instance } from './instance.js';
import { STREAM, World } from './world.js';

const PRICE_KOBO = 50;
const INSTANCES = 2;

/** Longer than the delay of a settlement. */
const SETTLED_MS = 3_000;

/** The reference model of a wallet. */
interface Model {
  balance_kobo: number;
  readonly credits: Map<string, number>;
  /** The farmer and the response body, by Idempotency-Key. */
  readonly responses: Map<string, { readonly rupa_id: string; readonly response: string }>;
  /** Number of charges without a key whose process was killed before it could settle them. */
  unsettled: number;
  debits: number;
}

type ModelCommand = fc.AsyncCommand<Model, World>;

/** Waits for work for one simulated second. Without failures all work ends by then, so longer work would never end. */
async function within<T>(world: World, work: Promise<T>): Promise<T> {
  let done = false;
  const ended = (): void => {
    done = true;
  };
  work.then(ended, ended);
  await world.scheduler.runUntil(world.scheduler.now + 1_000);
  if (!(done as boolean)) throw new Error('The work did not end within a second.');
  return await work;
}

function instanceOf(world: World, slot: number): Instance {
  const instance = world.instances[slot];
  if (!instance) throw new Error(`No instance is running in the slot ${slot}.`);
  return instance;
}

function expectEqual(model: Model, { entries }: World): void {
  expect(entries.at(-1)?.data.balance_after_kobo ?? 0).toBe(model.balance_kobo);
  expect(entries.filter(({ type }) => type === 'WalletDebited')).toHaveLength(model.debits);
}

class Credit implements ModelCommand {
  constructor(
    readonly slot: number,
    readonly reference: string,
    readonly amount_kobo: number,
  ) {}
  check = (): boolean => true;

  async run(model: Model, world: World): Promise<void> {
    const outcome = await within(
      world,
      instanceOf(world, this.slot)
        .credit(this.amount_kobo, this.reference, 'payment')
        .catch((error: unknown) => error as { code: string }),
    );
    const known = model.credits.get(this.reference);
    if (known !== undefined && known !== this.amount_kobo) {
      expect(outcome).toMatchObject({ code: 'reference_reused' });
    } else {
      if (known === undefined) model.balance_kobo += this.amount_kobo;
      model.credits.set(this.reference, this.amount_kobo);
      expect(outcome).toStrictEqual({ balance_kobo: model.balance_kobo, created: known === undefined });
    }
    expectEqual(model, world);
  }

  toString = (): string => `i${this.slot}: credit ${this.reference} ${this.amount_kobo}`;
}

class LookUp implements ModelCommand {
  constructor(
    readonly slot: number,
    readonly rupa_id: string,
    readonly key: string | undefined,
    readonly killed: boolean,
  ) {}
  check = (): boolean => true;

  async run(model: Model, world: World): Promise<void> {
    // Earlier charges of the process are settled by then, so only this one can be left unsettled by the kill.
    if (this.killed) await world.scheduler.runUntil(world.scheduler.now + SETTLED_MS);
    const responses: { status: number; payload: string; replayed: boolean }[] = [];
    const reply = new FakeReply((status, payload, replayed) => responses.push({ status, payload, replayed }));
    await within(world, instanceOf(world, this.slot).lookUp({ rupa_id: this.rupa_id, source: 'loan' }, this.key, reply));
    const [response] = responses;
    expect(response).toMatchObject(this.expected(model));
    if (response?.status === 200 && !response.replayed) this.charge(model, response.payload);
    if (this.killed) {
      world.kill(this.slot);
      start(world, this.slot);
    }
    expectEqual(model, world);
  }

  private expected(model: Model): object {
    const known = this.key === undefined ? undefined : model.responses.get(this.key);
    if (known) return known.rupa_id === this.rupa_id ? { status: 200, payload: known.response, replayed: true } : { status: 422 };
    return { status: model.balance_kobo < PRICE_KOBO ? 402 : 200, replayed: false };
  }

  /** Applies the charge to the model. A process that is killed within the second has not settled it. */
  private charge(model: Model, response: string): void {
    model.balance_kobo -= PRICE_KOBO;
    model.debits += 1;
    if (this.key !== undefined) model.responses.set(this.key, { rupa_id: this.rupa_id, response });
    else if (this.killed) model.unsettled += 1;
  }

  toString = (): string =>
    `i${this.slot}: look up ${this.rupa_id}${this.key === undefined ? '' : ` by ${this.key}`}${this.killed ? ', then kill -9' : ''}`;
}

/** Starts a process whose clock is right: a wrong one appends nothing (docs/adr/0045). */
function start(world: World, slot: number): void {
  world.start(slot);
  correctClocks(world);
}

/** Keeps the drift of a long history from making clocks wrong, as NTP does. */
function correctClocks(world: World): void {
  for (const { process } of world.running) process.clock.correct();
}

class MinutesPass implements ModelCommand {
  check = (): boolean => true;

  async run(model: Model, world: World): Promise<void> {
    // The first sweep sees which charges are open, and the second one closes those that have been open for more than a minute.
    for (let sweeps = 1; sweeps <= 2; sweeps += 1) {
      correctClocks(world);
      await within(world, Promise.all(world.running.map((instance) => instance.sweep())));
      await world.scheduler.runUntil(world.scheduler.now + 62_000);
    }
    // The read model must show the closed charges before the next sweep.
    await world.scheduler.runUntil(world.scheduler.now + SETTLED_MS);
    model.balance_kobo += model.unsettled * PRICE_KOBO;
    model.unsettled = 0;
    expectEqual(model, world);
  }

  toString = (): string => 'two minutes pass, and every instance sweeps';
}

const slot = fc.nat(INSTANCES - 1);
const rupaId = fc.constantFrom('rp-1', 'rp-2');
const key = fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined });
const commands = fc.commands(
  [
    fc.tuple(slot, fc.constantFrom('r1', 'r2', 'r3'), fc.constantFrom(50, 120)).map((values) => new Credit(...values)),
    fc.tuple(slot, rupaId, key, fc.boolean()).map((values) => new LookUp(...values)),
    fc.constant(new MinutesPass()),
  ],
  { maxCommands: 40 },
);

describe('a wallet that two instances share', () => {
  it('always has the balance and the debits of a reference model', async () => {
    const property = fc.asyncProperty(commands, async (steps) => {
      const world = new World(1);
      for (let started = 0; started < INSTANCES; started += 1) start(world, started);
      const model: Model = { balance_kobo: 0, credits: new Map(), responses: new Map(), unsettled: 0, debits: 0 };
      await fc.asyncModelRun(() => ({ model: model, real: world }), [...steps, new MinutesPass()]);
      expect([
        ...chainUnbroken({ stream: STREAM, entries: world.entries }, '2026-12-01T00:00:00.000Z', ANY_PRICES),
        ...moneyConserved(world.entries as unknown as WalletEvent[]),
      ]).toStrictEqual([]);
      expect(world.faults).toStrictEqual([]);
    });
    await fc.assert(property, { numRuns: rounds('MODEL_RUNS', { short: 100, long: 300 }) });
  }, 3_600_000);
});
