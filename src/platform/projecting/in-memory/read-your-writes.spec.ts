import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Clock } from '../../../kernel/clock.js';
import { type OtherInstances } from '../../database/instances/instance-presence.js';
import { type CommandResult } from '../../event-sourcing/writing/batch.js';
import { type DomainEvent } from '../../event-sourcing/decider.js';
import { StoreUnavailable } from '../../event-sourcing/event-store-client/store-errors.js';
import { type ReadModelListener } from './read-model-listener.js';
import { type ReadModels, ReadModelBehind } from '../read-models.js';
import { type Subject, ReadYourWrites } from './read-your-writes.js';

const at = (position: bigint | undefined): CommandResult<unknown, DomainEvent> =>
  ({ position }) as unknown as CommandResult<unknown, DomainEvent>;

/** Read models that show what a test lets them show. */
class FakeReadModels {
  shown = 0n;
  head = 0n;
  private waiting: { position: bigint; resolve: () => void }[] = [];

  hasReached = (position: bigint): boolean => this.shown >= position;
  waitForAll = (): Promise<boolean> => this.until(this.head);
  until = async (position: bigint): Promise<boolean> => {
    if (!this.hasReached(position)) await new Promise<void>((resolve) => this.waiting.push({ position, resolve }));
    return true;
  };

  show(position: bigint): void {
    this.shown = position;
    for (const { resolve } of this.waiting.filter((each) => each.position <= position)) resolve();
    this.waiting = this.waiting.filter((each) => each.position > position);
  }
}

/** Lets everything run that waits for nothing else. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const searched = (): Promise<void> => Promise.resolve();

describe('a change that the read models do not show yet', () => {
  let models: FakeReadModels;
  let others: { current: readonly number[] | undefined; since: number | undefined };
  let search: Promise<void>;
  let clock: Clock;
  let now: number;
  let endWaits: () => void;
  let listener: {
    hasReached: (position: bigint) => boolean;
    shownBy: () => bigint;
    waitFor: (position: bigint, ms?: number) => Promise<boolean>;
  };
  let writes: ReadYourWrites;

  beforeEach(async () => {
    models = new FakeReadModels();
    others = { current: [], since: 0 };
    search = Promise.resolve();
    const waits: (() => void)[] = [];
    endWaits = () => {
      for (const end of waits.splice(0)) end();
    };
    now = 0;
    clock = { delay: () => new Promise<void>((resolve) => waits.push(resolve)), elapsedMs: () => now } as unknown as Clock;
    listener = { hasReached: models.hasReached, waitFor: models.until, shownBy: () => models.shown };
    const readModels = {
      waitForPosition: async (position: bigint) => {
        if (!(await listener.waitFor(position))) throw new ReadModelBehind('contribution');
      },
      waitForHead: async () => {
        if (!(await models.waitForAll())) throw new ReadModelBehind('contribution');
      },
    } as unknown as ReadModels;
    const instances = {
      current: () => others.current,
      knownSince: () => others.since,
      searched: () => search,
    } as unknown as OtherInstances;
    writes = new ReadYourWrites(readModels, listener as unknown as ReadModelListener, instances, clock);
    await writes.waitFor('farmer rp-0', ['contribution']);
  });

  /** Returns whether the work ends without further events being shown. */
  async function endsAtOnce(work: Promise<unknown>): Promise<boolean> {
    let ended = false;
    void work.then(() => (ended = true));
    await turn();
    return ended;
  }

  it('is confirmed at once, and shown by the reads that wait for its subjects', async () => {
    expect(await endsAtOnce(writes.confirm(at(5n), ['farmer rp-1', 'partner p1'], 'contribution-1'))).toBe(true);
    const reads = [writes.waitFor('farmer rp-1', ['contribution']), writes.waitFor('partner p1', ['contribution'])];
    models.show(4n);
    for (const read of reads) expect(await endsAtOnce(read)).toBe(false);
    models.show(5n);
    for (const read of reads) expect(await endsAtOnce(read)).toBe(true);
  });

  it('does not hold up reads of other subjects', async () => {
    await writes.confirm(at(5n), ['farmer rp-1'], 'contribution-1');
    expect(await endsAtOnce(writes.waitFor('farmer rp-2', ['contribution']))).toBe(true);
  });

  it.each<[string, readonly number[] | undefined]>([
    ['is another instance', [2]],
    ['are several other instances', [2, 3]],
    ['may be another instance', undefined],
  ])('is not confirmed before the read models show it while there %s', async (_state, current) => {
    others.current = current;
    const confirmed = writes.confirm(at(5n), ['farmer rp-1'], 'contribution-1');
    expect(await endsAtOnce(confirmed)).toBe(false);
    models.show(5n);
    expect(await endsAtOnce(confirmed)).toBe(true);
  });

  it('may have been confirmed by another instance, so reads wait for everything until that one knows of this one', async () => {
    models.head = 7n;
    others = { current: undefined, since: undefined };
    const early = writes.waitFor('farmer rp-1', ['contribution']);
    expect(await endsAtOnce(early)).toBe(false);
    models.show(7n);
    expect(await endsAtOnce(early)).toBe(true);
    // The other one confirmed an event just before it learned of this one, and no read model shows it yet.
    models.head = 8n;
    others.since = 10;
    const first = writes.waitFor('farmer rp-1', ['contribution']);
    expect(await endsAtOnce(first)).toBe(false);
    models.show(8n);
    expect(await endsAtOnce(first)).toBe(true);
    models.head = 9n;
    expect(await endsAtOnce(writes.waitFor('farmer rp-1', ['contribution']))).toBe(true);
  });

  it('may have been confirmed by an instance that ends while this one searches for others', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    search = promise;
    others = { current: undefined, since: undefined };
    const read = writes.waitFor('farmer rp-1', ['contribution']);
    models.head = 7n;
    others = { current: [], since: 10 };
    resolve(undefined);
    expect(await endsAtOnce(read)).toBe(false);
    models.show(7n);
    expect(await endsAtOnce(read)).toBe(true);
    models.head = 8n;
    expect(await endsAtOnce(writes.waitFor('farmer rp-1', ['contribution']))).toBe(true);
  });

  it('may have been confirmed while this instance was unknown again', async () => {
    others.since = 10;
    expect(await endsAtOnce(writes.waitFor('farmer rp-1', ['contribution']))).toBe(true);
    models.head = 9n;
    others.since = 20;
    expect(await endsAtOnce(writes.waitFor('farmer rp-1', ['contribution']))).toBe(false);
  });

  it.each<[string, () => Promise<boolean>]>([
    ['does not respond', () => new Promise(() => undefined)],
    ['fails', () => Promise.reject(new Error('The event store is away.'))],
    ['does not catch up', () => Promise.resolve(false)],
  ])('holds up a read for two seconds at most while a store %s: a list is refused then, a lookup goes on', async (_state, waitForAll) => {
    others.since = 10;
    models.waitForAll = waitForAll;
    const reads = [writes.waitFor('farmer rp-1', ['contribution']), writes.lateStreamsOf('farmer rp-1')];
    const ended = Promise.allSettled(reads);
    await turn();
    endWaits();
    expect(await ended).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: [] }]);
    models.waitForAll = () => models.until(1n);
    expect(await endsAtOnce(writes.waitFor('farmer rp-1', ['contribution']))).toBe(false);
    // Lookups do not wait again and again for what may never be shown.
    expect(await writes.lateStreamsOf('farmer rp-1')).toStrictEqual([]);
    now += 5_001;
    expect(await endsAtOnce(writes.lateStreamsOf('farmer rp-1'))).toBe(false);
  });

  it('is read from its stream by a lookup for which the read models do not show it within two seconds', async () => {
    await writes.confirm(at(5n), ['farmer rp-1', 'farmer rp-2', 'partner p1'], 'contribution-1');
    await writes.confirm(at(6n), ['farmer rp-1'], 'contribution-2');
    const waited: number[] = [];
    listener.waitFor = (position: bigint, ms?: number) => {
      waited.push(ms ?? NaN);
      return Promise.resolve(models.hasReached(position));
    };
    now = 500;
    expect(await writes.lateStreamsOf('farmer rp-1')).toStrictEqual(['contribution-1', 'contribution-2']);
    now = 10_000;
    expect(await writes.lateStreamsOf('farmer rp-2')).toStrictEqual(['contribution-1']);
    expect(await writes.lateStreamsOf('farmer rp-3')).toStrictEqual([]);
    expect(waited).toStrictEqual([1_500, 0]);
    models.show(6n);
    expect(await writes.lateStreamsOf('farmer rp-1')).toStrictEqual([]);
  });

  it('waits for other instances as long as the read models advance, 10 s at most, and no longer than 2.5 s if they do not', async () => {
    others.current = [2];
    let [waits, advances] = [0, 2];
    listener.waitFor = () => {
      waits += 1;
      if ((advances -= 1) >= 0) models.shown += 1n;
      return Promise.resolve(false);
    };
    await writes.confirm(at(50n), ['farmer rp-1'], 'contribution-1');
    expect(waits).toBe(3);
    advances = Infinity;
    await writes.confirm(at(51n), ['farmer rp-1'], 'contribution-1');
    expect(waits).toBe(3 + 4);
  });

  it('is refused before it is appended if too many of its farmer are not shown', async () => {
    for (let n = 0; n < 500; n += 1) {
      writes.admit('rp-1');
      await writes.confirm(at(BigInt(n + 1)), ['farmer rp-1'], `contribution-${n}`);
    }
    expect(() => {
      writes.admit('rp-1');
    }).toThrow(ReadModelBehind);
    writes.admit('rp-2');
    models.show(500n);
    writes.admit('rp-1');
  });

  it.each([1, 100, 499])('is not refused while changes of its farmer never cease, if the read models lag by %i of them', async (lag) => {
    for (let n = 1; n <= 2_000; n += 1) {
      writes.admit('rp-1');
      await writes.confirm(at(BigInt(n)), ['farmer rp-1'], `contribution-${n}`);
      models.show(BigInt(Math.max(0, n - lag)));
    }
    listener.waitFor = () => Promise.resolve(false);
    // The streams of all changes that are not shown are read, and of some that are.
    expect(await writes.lateStreamsOf('farmer rp-1')).toStrictEqual(
      expect.arrayContaining(Array.from({ length: lag }, (_, n) => `contribution-${2_000 - n}`)),
    );
  });

  it('is never left out: a read for which the read models do not show it in time is refused', async () => {
    await writes.confirm(at(5n), ['farmer rp-1'], 'contribution-1');
    listener.waitFor = () => Promise.resolve(false);
    await expect(writes.waitFor('farmer rp-1', ['contribution'])).rejects.toThrow(StoreUnavailable);
    await expect(writes.waitFor('farmer rp-2', ['contribution'])).resolves.toBeUndefined();
    // Another connection, which shows that this instance was unknown to others for a while.
    others.since = 10;
    models.waitForAll = () => Promise.resolve(false);
    await expect(writes.waitFor('farmer rp-1', ['contribution'])).rejects.toThrow(StoreUnavailable);
    models.waitForAll = () => Promise.resolve(true);
    models.show(5n);
    listener.waitFor = () => Promise.resolve(true);
    await expect(writes.waitFor('farmer rp-1', ['contribution'])).resolves.toBeUndefined();
  });

  it('appends nothing if a report is repeated, and needs no wait', async () => {
    others.current = undefined;
    expect(await endsAtOnce(writes.confirm(at(undefined), ['farmer rp-1'], 'contribution-1'))).toBe(true);
  });

  it('is never missed by a read of its subject that begins after it was confirmed', async () => {
    const subject = fc.constantFrom<Subject>('farmer rp-1', 'farmer rp-2', 'partner p1', 'partner p2');
    const step = fc.oneof(
      fc.record({ confirm: fc.uniqueArray(subject, { minLength: 1 }), late: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ read: subject }),
      fc.record({ show: fc.integer({ min: 1, max: 2 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const fake = new FakeReadModels();
        const parts = [
          { waitForPosition: (position: bigint) => fake.until(position), waitForHead: () => Promise.resolve() },
          { hasReached: fake.hasReached, waitFor: fake.until, shownBy: () => fake.shown },
          { current: () => [], knownSince: () => 0, searched },
        ] as unknown as [ReadModels, ReadModelListener, OtherInstances];
        const changes = new ReadYourWrites(...parts, clock);
        await changes.waitFor('farmer rp-1', ['contribution']);
        const last = new Map<Subject, bigint>();
        let head = 3n;
        for (const each of steps) {
          if ('confirm' in each) {
            // Appends of different streams may be confirmed in another order than their positions.
            const position = (head += 1n) - BigInt(each.late);
            await changes.confirm(at(position), each.confirm, 'contribution-1');
            for (const one of each.confirm) if (position > (last.get(one) ?? 0n)) last.set(one, position);
          } else if ('show' in each) fake.show(fake.shown + BigInt(each.show) < head ? fake.shown + BigInt(each.show) : head);
          else {
            const isShown = fake.hasReached(last.get(each.read) ?? 0n);
            expect(await endsAtOnce(changes.waitFor(each.read, ['contribution']))).toBe(isShown);
          }
        }
      }),
    );
  });
});
