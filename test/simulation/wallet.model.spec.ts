import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rounds } from '../support/length.js';
import { chainUnbroken, moneyConserved } from '../support/ledger-invariants.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { FakeReply } from './fake-reply.js';
import { type Instance } from './instance.js';
import { STREAM, World } from './world.js';

const PRICE_KOBO = 50;
const INSTANCES = 2;

/** Longer than a settlement waits for others to ride with. */
const SETTLED_MS = 3_000;

/** A wallet as anybody would keep it on paper. */
interface Paper {
  balance_kobo: number;
  readonly credits: Map<string, number>;
  /** By key: the farmer asked for, and the answer. */
  readonly answers: Map<string, { readonly rupa_id: string; readonly answer: string }>;
  /** Charged without a key by a process that died before it could settle. */
  forgotten: number;
  debits: number;
}

type WalletCommand = fc.AsyncCommand<Paper, World>;

/** On stores where nothing breaks, everything is done within a second; what is not would wait for ever. */
async function within<T>(world: World, work: Promise<T>): Promise<T> {
  let done = false;
  const ended = (): void => {
    done = true;
  };
  work.then(ended, ended);
  await world.scheduler.runUntil(world.scheduler.now + 1_000);
  if (!(done as boolean)) throw new Error('It was not done within a second.');
  return await work;
}

function instanceOf(world: World, place: number): Instance {
  const instance = world.instances[place];
  if (!instance) throw new Error('Nobody is there.');
  return instance;
}

function expectSame(paper: Paper, { entries }: World): void {
  expect(entries.at(-1)?.data.balance_after_kobo ?? 0).toBe(paper.balance_kobo);
  expect(entries.filter(({ type }) => type === 'WalletDebited')).toHaveLength(paper.debits);
}

class Credit implements WalletCommand {
  constructor(
    readonly place: number,
    readonly reference: string,
    readonly amount_kobo: number,
  ) {}
  check = (): boolean => true;

  async run(paper: Paper, world: World): Promise<void> {
    const outcome = await within(
      world,
      instanceOf(world, this.place)
        .credit(this.amount_kobo, this.reference)
        .catch((error: unknown) => error as { code: string }),
    );
    const known = paper.credits.get(this.reference);
    if (known !== undefined && known !== this.amount_kobo) {
      expect(outcome).toMatchObject({ code: 'reference_reused' });
    } else {
      if (known === undefined) paper.balance_kobo += this.amount_kobo;
      paper.credits.set(this.reference, this.amount_kobo);
      expect(outcome).toStrictEqual({ balance_kobo: paper.balance_kobo, created: known === undefined });
    }
    expectSame(paper, world);
  }

  toString = (): string => `i${this.place}: credit ${this.reference} ${this.amount_kobo}`;
}

class LookUp implements WalletCommand {
  constructor(
    readonly place: number,
    readonly rupa_id: string,
    readonly key: string | undefined,
    readonly killed: boolean,
  ) {}
  check = (): boolean => true;

  async run(paper: Paper, world: World): Promise<void> {
    // What the process answered before is settled by then: only this lookup can be forgotten.
    if (this.killed) await world.scheduler.runUntil(world.scheduler.now + SETTLED_MS);
    const answers: { status: number; payload: string; replayed: boolean }[] = [];
    const reply = new FakeReply((status, payload, replayed) => answers.push({ status, payload, replayed }));
    await within(world, instanceOf(world, this.place).lookUp({ rupa_id: this.rupa_id, source: 'loan' }, this.key, reply));
    const [answer] = answers;
    expect(answer).toMatchObject(this.expected(paper));
    if (answer?.status === 200 && !answer.replayed) this.charge(paper, answer.payload);
    if (this.killed) {
      world.kill(this.place);
      world.start(this.place);
    }
    expectSame(paper, world);
  }

  private expected(paper: Paper): object {
    const known = this.key === undefined ? undefined : paper.answers.get(this.key);
    if (known) return known.rupa_id === this.rupa_id ? { status: 200, payload: known.answer, replayed: true } : { status: 422 };
    return { status: paper.balance_kobo < PRICE_KOBO ? 402 : 200, replayed: false };
  }

  /** Killed within the second, the process has not settled it. */
  private charge(paper: Paper, answer: string): void {
    paper.balance_kobo -= PRICE_KOBO;
    paper.debits += 1;
    if (this.key !== undefined) paper.answers.set(this.key, { rupa_id: this.rupa_id, answer });
    else if (this.killed) paper.forgotten += 1;
  }

  toString = (): string =>
    `i${this.place}: look up ${this.rupa_id}${this.key === undefined ? '' : ` by ${this.key}`}${this.killed ? ', then kill -9' : ''}`;
}

class MinutesPass implements WalletCommand {
  check = (): boolean => true;

  async run(paper: Paper, world: World): Promise<void> {
    await world.scheduler.runUntil(world.scheduler.now + 120_000);
    await within(world, Promise.all(world.running.map((instance) => instance.sweep())));
    // What a sweep closed, the next one must not find.
    await world.scheduler.runUntil(world.scheduler.now + SETTLED_MS);
    paper.balance_kobo += paper.forgotten * PRICE_KOBO;
    paper.forgotten = 0;
    expectSame(paper, world);
  }

  toString = (): string => 'two minutes pass, and everybody sweeps';
}

const place = fc.nat(INSTANCES - 1);
const rupaId = fc.constantFrom('rp-1', 'rp-2');
const key = fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined });
const commands = fc.commands(
  [
    fc.tuple(place, fc.constantFrom('r1', 'r2', 'r3'), fc.constantFrom(50, 120)).map((values) => new Credit(...values)),
    fc.tuple(place, rupaId, key, fc.boolean()).map((values) => new LookUp(...values)),
    fc.constant(new MinutesPass()),
  ],
  { maxCommands: 40 },
);

describe('a wallet that two instances share', () => {
  it('is at every moment what a ledger on paper says', async () => {
    const property = fc.asyncProperty(commands, async (steps) => {
      const world = new World(1);
      for (let started = 0; started < INSTANCES; started += 1) world.start(started);
      const paper: Paper = { balance_kobo: 0, credits: new Map(), answers: new Map(), forgotten: 0, debits: 0 };
      await fc.asyncModelRun(() => ({ model: paper, real: world }), [...steps, new MinutesPass()]);
      expect([
        ...chainUnbroken({ stream: STREAM, entries: world.entries }, '2026-12-01T00:00:00.000Z'),
        ...moneyConserved(world.entries as unknown as WalletEvent[]),
      ]).toStrictEqual([]);
      expect(world.faults).toStrictEqual([]);
    });
    await fc.assert(property, { numRuns: rounds('MODEL_RUNS', { short: 100, long: 300 }) });
  }, 3_600_000);
});
