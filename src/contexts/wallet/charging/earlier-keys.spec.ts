import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { IdleClock } from '../../../../test/support/unit/idle-clock.js';
import { ManualClock } from '../../../../test/support/unit/manual-clock.js';
import { credited, settled } from '../../../../test/support/unit/wallet-decisions.js';
import { keyedId, keyOf } from '../../../kernel/keyed-id.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { hasKey, NO_KEYS } from '../domain/settled-keys.js';
import { EarlierKeys } from './earlier-keys.js';

const AT = '2026-11-21T10:00:00.000Z';
const HOUR_MS = 3_600_000;
const PAGE = 500;
const WAITED_FOR = 10_000;

const idOf = (revision: number): string => keyedId(revision.toString(16).padStart(13, '0'), '0d9cbb1e-0000-4000-8000-000000000001');
const keyAt = (revision: number): number => keyOf(idOf(revision)) ?? NaN;

/** A wallet of which every other entry settles a charge with a key of its own. The entries are spread evenly over the hours before {@link AT}. */
class Wallet {
  reads = 0;
  fails = false;

  constructor(
    readonly entries: number,
    readonly hours: number,
  ) {}

  timeOf(revision: number): string {
    return new Date(Date.parse(AT) - ((this.entries - revision) / this.entries) * this.hours * HOUR_MS).toISOString();
  }

  /** Revisions of the settlements before a revision whose keys matter: those of a day, less ten minutes, which is counted in whole seconds. */
  used(before: number): number[] {
    const since = new Date(Date.parse(AT) - (24 * HOUR_MS - HOUR_MS / 6) + 1_000).toISOString();
    return Array.from({ length: before }, (_, revision) => revision).filter((each) => each % 2 === 1 && this.timeOf(each) >= since);
  }

  get eventStore(): EventStore {
    const readStream = (_: string, { from, maxCount }: { readonly from: bigint; readonly maxCount: number }): Promise<unknown[]> => {
      this.reads += 1;
      if (this.fails) return Promise.reject(new Error('The event store is away.'));
      const revisions = Array.from({ length: Math.min(maxCount, Number(from) + 1) }, (_unused, index) => Number(from) - index);
      return Promise.resolve(revisions.map((revision) => this.entry(revision)));
    };
    return { readStream } as unknown as EventStore;
  }

  private entry(revision: number): unknown {
    const recorded_at = this.timeOf(revision);
    if (revision % 2 === 0) return { ...credited, revision: BigInt(revision), data: { ...credited.data, recorded_at } };
    const charges = [{ lookup_id: idOf(revision), debit_revision: revision - 1 }];
    return { ...settled, revision: BigInt(revision), data: { ...settled.data, recorded_at, charges } };
  }
}

function knows(keys: EarlierKeys, revision: number): boolean {
  return hasKey(keys.of('p1')?.keys ?? NO_KEYS, keyAt(revision), AT);
}

describe('the keys that a wallet used before the entries in its state', () => {
  it('are all known in the end, however many entries the day has, and in whichever steps they are searched', async () => {
    const steps = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 * WAITED_FOR }),
        fc.integer({ min: 1, max: 60 }),
        steps,
        async (entries, hours, shares) => {
          const wallet = new Wallet(entries, hours);
          const keys = new EarlierKeys(wallet.eventStore, new IdleClock());
          const befores = shares.map((share) => Math.round(share * entries));
          for (const before of befores) await keys.search('p1', BigInt(before), AT);
          const used = wallet.used(Math.max(...befores));
          while (!used.every((revision) => knows(keys, revision))) await nextTurn();
          await keys.onApplicationShutdown();
        },
      ),
      // In the examples, which count as runs, a charge was settled in the second whose keys matter no more.
      {
        numRuns: 22,
        examples: [
          [144, 24, [1]],
          [29_995, 40, [0, 1]],
        ],
      },
    );
  });

  it('are known of the newest 10,000 entries when the search ends, and of the others while the service goes on', async () => {
    const wallet = new Wallet(3 * WAITED_FOR, 20);
    const clock = new ManualClock();
    const keys = new EarlierKeys(wallet.eventStore, clock);
    await keys.search('p1', BigInt(wallet.entries), AT);
    const newest = wallet.used(wallet.entries).filter((revision) => revision >= wallet.entries - WAITED_FOR);
    expect(newest.filter((revision) => !knows(keys, revision))).toStrictEqual([]);
    expect(keys.of('p1')?.before).toBe(BigInt(wallet.entries));
    expect(knows(keys, 1)).toBe(false);
    while (!knows(keys, 1)) await clock.advance(1);
    expect(wallet.reads).toBe(wallet.entries / PAGE);
  });

  it('are searched again if the event store goes away before they are all read', async () => {
    const wallet = new Wallet(2 * WAITED_FOR, 20);
    const clock = new ManualClock();
    const keys = new EarlierKeys(wallet.eventStore, clock);
    await keys.search('p1', BigInt(wallet.entries), AT);
    wallet.fails = true;
    while (keys.of('p1')) await clock.advance(1);
    wallet.fails = false;
    await keys.search('p1', BigInt(wallet.entries), AT);
    expect(knows(keys, wallet.entries - 1)).toBe(true);
  });

  it('are read no further once the service stops', async () => {
    const wallet = new Wallet(3 * WAITED_FOR, 20);
    const keys = new EarlierKeys(wallet.eventStore, new IdleClock());
    await keys.search('p1', BigInt(wallet.entries), AT);
    await keys.onApplicationShutdown();
    expect(wallet.reads).toBeLessThan(wallet.entries / PAGE);
  });
});
