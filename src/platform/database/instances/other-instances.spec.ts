import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Pool } from 'pg';
import { type Clock } from '../../../kernel/clock.js';
import { OtherInstances } from './instance-presence.js';

/** A stopwatch that shows what a test says. */
class Stopwatch {
  private ms = 0;

  elapsedMs = (): number => this.ms;

  /** Lets time pass, and then all that waits for a response of the database. */
  async advance(ms: number): Promise<void> {
    this.ms += ms;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The locks of two instances in one database, whose responses a test may hold back. */
class FakeDatabase {
  readonly held = new Set<number>();
  isAway = false;
  isSlow = false;
  private late: (() => void)[] = [];

  pool(own: number): Pool {
    const query = async (): Promise<{ rows: { instance: number }[] }> => {
      if (this.isAway) throw new Error('PostgreSQL is away.');
      const rows = [...this.held].filter((instance) => instance !== own).map((instance) => ({ instance }));
      if (this.isSlow) await new Promise<void>((resolve) => this.late.push(resolve));
      return { rows };
    };
    return { query } as unknown as Pool;
  }

  respond(): void {
    for (const resolve of this.late.splice(0)) resolve();
  }
}

class Instance {
  servesSince: number | undefined;
  readonly others: OtherInstances;

  constructor(
    readonly instance: number,
    private readonly database: FakeDatabase,
    private readonly clock: Stopwatch,
  ) {
    this.others = new OtherInstances(database.pool(instance), this, clock as unknown as Clock);
  }

  take(): void {
    this.database.held.add(this.instance);
    this.servesSince ??= this.clock.elapsedMs();
  }

  release(): void {
    this.servesSince = undefined;
    this.database.held.delete(this.instance);
  }
}

describe('an instance', () => {
  let clock: Stopwatch;
  let database: FakeDatabase;
  let one: Instance;
  let other: Instance;

  beforeEach(() => {
    clock = new Stopwatch();
    database = new FakeDatabase();
    [one, other] = [new Instance(1, database, clock), new Instance(2, database, clock)];
    one.take();
  });

  /** Lets a search end that the first question begins. */
  async function searched({ others }: Instance): Promise<readonly number[] | undefined> {
    others.current();
    await clock.advance(0);
    return others.current();
  }

  it('is alone once a search has found no other', async () => {
    expect(one.others.current()).toBeUndefined();
    expect(await searched(one)).toStrictEqual([]);
  });

  it('finds another one', async () => {
    other.take();
    expect(await searched(one)).toStrictEqual([2]);
    expect(await searched(other)).toStrictEqual([1]);
  });

  it('is not certain of others while it does not show that it serves reads itself', async () => {
    one.release();
    expect(await searched(one)).toBeUndefined();
  });

  it('relies on a search for two seconds, counted from before it', async () => {
    database.isSlow = true;
    one.others.current();
    await clock.advance(1_500);
    database.respond();
    await clock.advance(0);
    expect(one.others.current()).toStrictEqual([]);
    await clock.advance(500);
    expect(one.others.current()).toBeUndefined();
  });

  it('keeps what it found for two seconds while PostgreSQL is away', async () => {
    await searched(one);
    database.isAway = true;
    await clock.advance(1_999);
    expect(await searched(one)).toStrictEqual([]);
    await clock.advance(1);
    expect(await searched(one)).toBeUndefined();
  });

  it('is known when it is alone, or has shown its presence for longer than others rely on a search', async () => {
    expect(one.others.knownSince()).toBeUndefined();
    await searched(one);
    expect(one.others.knownSince()).toBe(0);
    await clock.advance(100);
    other.take();
    await searched(other);
    expect(other.others.knownSince()).toBeUndefined();
    await clock.advance(2_200);
    expect(other.others.knownSince()).toBe(100);
    other.release();
    expect(other.others.knownSince()).toBeUndefined();
  });

  it('that is known is found by each other one that is certain of what it finds', async () => {
    const actor = fc.constantFrom(0, 1);
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ take: actor }) },
      { weight: 4, arbitrary: fc.record({ release: actor }) },
      fc.record({ pass: fc.integer({ min: 1, max: 2_500 }) }),
      fc.constant({ respond: true }),
      fc.record({ slow: fc.boolean() }),
      fc.record({ away: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const [time, locks] = [new Stopwatch(), new FakeDatabase()];
        const both = [new Instance(1, locks, time), new Instance(2, locks, time)] as const;
        for (const each of steps) {
          if ('take' in each) {
            // No lock is taken again within the same moment.
            await time.advance(1);
            both[each.take].take();
          } else if ('release' in each) both[each.release].release();
          else if ('pass' in each) await time.advance(each.pass);
          else if ('respond' in each) locks.respond();
          else if ('slow' in each) locks.isSlow = each.slow;
          else locks.isAway = each.away;
          await time.advance(0);
          for (const [one, known] of [both, [both[1], both[0]]] as const)
            if (known.others.knownSince() !== undefined) expect(one.others.current() ?? [known.instance]).toStrictEqual([known.instance]);
          await time.advance(0);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
