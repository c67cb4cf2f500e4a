import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Clock } from '../../../kernel/clock.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { type AllPageOptions } from '../../event-sourcing/reading/log-reader.js';
import { type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { type Projection } from '../projection.js';
import { Staleness } from './staleness.js';

const START_MS = Date.parse('2026-03-01T00:00:00Z');

describe('the staleness of a read model', () => {
  let log: StoredEvent[];
  let shown: Record<string, bigint>;
  let nowMs: number;
  let reads: number;
  let eventStore: EventStore;
  let staleness: Staleness;
  let startAgain: () => Promise<void>;

  beforeEach(async () => {
    [log, shown, nowMs, reads] = [[], { sums: -1n, names: -1n }, 0, 0];
    eventStore = {
      headPosition: () => Promise.resolve(log.at(-1)?.position),
      allPage: ({ after = -1n, maxCount = 1_000 }: AllPageOptions) => {
        reads += 1;
        const events = log.filter(({ position }) => position > after).slice(0, maxCount);
        return Promise.resolve({ events, next: events.at(-1)?.position });
      },
    } as unknown as EventStore;
    const clock = { elapsedMs: () => nowMs, now: () => new Date(START_MS + nowMs) } as unknown as Clock;
    const models = [
      { name: 'sums', types: new Set(['Paid']) },
      { name: 'names', types: new Set(['Named']) },
    ] as unknown as Projection[];
    const listener = { shownBy: (model: string) => shown[model] ?? -1n, refresh: () => Promise.resolve() };
    startAgain = async () => {
      staleness = new Staleness(models, eventStore, listener, clock);
      await staleness.start();
      await staleness.onApplicationShutdown();
    };
    await startAgain();
  });

  /** Appends an event; an own one is noted before it is sent. */
  const append = (type: string, { own = false, agedMs = 0 } = {}): void => {
    const event = { id: `${log.length}`, type, data: { recorded_at: new Date(START_MS + nowMs - agedMs).toISOString() } };
    if (own) eventStore.onSending([event] as never);
    log.push({ ...event, position: BigInt(log.length), stream: 's-1', revision: 0n, metadata: {} } as unknown as StoredEvent);
  };
  const looksAfter = async (ms: number): Promise<void> => {
    nowMs += ms;
    await staleness.look();
  };
  const showAll = (): void => {
    const head = log.at(-1)?.position ?? -1n;
    shown = { sums: head, names: head };
  };
  const ages = (by: 'anybody' | 'others' = 'others') => [staleness.ageOf('sums', by), staleness.ageOf('names', by)];

  it('is 0 while it shows the whole log, which is not read then', async () => {
    for (let n = 0; n < 5; n += 1) {
      append('Paid');
      showAll();
      await looksAfter(1_000);
      expect(ages()).toStrictEqual([0, 0]);
    }
    expect(reads).toBe(0);
  });

  it('is the age of the oldest event that it is made from and does not show', async () => {
    append('Paid');
    await looksAfter(1_000);
    await looksAfter(1_000);
    append('Paid');
    await looksAfter(5_000);
    expect(ages()).toStrictEqual([7_000, 0]);
    expect([staleness.newestNotIn('sums'), staleness.newestNotIn('names')]).toStrictEqual([1n, undefined]);
    shown.sums = 0n;
    expect(ages()).toStrictEqual([5_000, 0]);
    showAll();
    expect([ages(), staleness.newestNotIn('sums')]).toStrictEqual([[0, 0], undefined]);
  });

  it('is known once a process has started, also of what was recorded long before', async () => {
    append('Paid', { agedMs: 86_400_000 });
    append('Named', { agedMs: 3_600_000 });
    await startAgain();
    expect(staleness.isKnown).toBe(true);
    expect(ages()).toStrictEqual([86_400_000, 3_600_000]);
  });

  it('counts what others have appended, and not what this process has, whose lists lack it all the same', async () => {
    append('Paid', { own: true });
    await looksAfter(1_000);
    await looksAfter(60_000);
    expect(ages()).toStrictEqual([0, 0]);
    expect(ages('anybody')).toStrictEqual([61_000, 0]);
    expect(staleness.newestNotIn('sums')).toBe(0n);
    append('Named');
    await looksAfter(2_000);
    expect(ages()).toStrictEqual([0, 2_000]);
  });

  it('is that of the event’s date for a process that starts late', async () => {
    append('Paid', { agedMs: 3_600_000 });
    await looksAfter(1_000);
    await looksAfter(1_000);
    expect(ages()).toStrictEqual([3_602_000, 0]);
  });

  it('reads each event once, however long the read models are behind', async () => {
    for (let n = 0; n < 1_200; n += 1) append('Paid');
    await looksAfter(1_000);
    await looksAfter(1_000);
    const before = reads;
    for (let n = 0; n < 10; n += 1) await looksAfter(1_000);
    expect(reads - before).toBeLessThanOrEqual(20);
    expect(ages()[0]).toBe(12_000);
  });
});
