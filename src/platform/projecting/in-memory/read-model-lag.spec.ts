import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReadModelLag } from './staleness.js';

const keptBy = (events: ReadModelLag): number => (events as unknown as { kept: unknown[] }).kept.length;
const at = (position: bigint, ms: number) => ({ position, seenMs: ms, recordedMs: ms });

describe('the events that a read model does not show', () => {
  it('are none at first, and none once it shows the last one', () => {
    const events = new ReadModelLag();
    expect(events.oldest(-1n)).toBeUndefined();
    events.add(at(5n, 0), -1n);
    expect(events.oldest(4n)?.position).toBe(5n);
    expect(events.newest(4n)?.position).toBe(5n);
    expect(events.oldest(5n)).toBeUndefined();
    expect(events.newest(5n)).toBeUndefined();
  });

  it('tell the newest one exactly and the age of the oldest to one interval, however many there are', () => {
    const steps = fc.array(fc.record({ ms: fc.integer({ min: 0, max: 3_000 }), shows: fc.nat({ max: 3 }) }), {
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(steps, (drawn) => {
        const events = new ReadModelLag();
        const added: { position: bigint; seenMs: number }[] = [];
        let [ms, shown] = [0, -1n];
        for (const step of drawn) {
          ms += step.ms;
          const event = at(BigInt(added.length), ms);
          added.push(event);
          events.add(event, shown);
          shown += BigInt(Math.min(step.shows, Number(event.position - shown)));
          const left = added.filter(({ position }) => position > shown);
          expect(events.newest(shown)?.position).toBe(left.at(-1)?.position);
          const [oldest, kept] = [left[0]?.seenMs, events.oldest(shown)?.seenMs];
          expect(kept === undefined).toBe(oldest === undefined);
          expect(kept ?? 0).toBeLessThanOrEqual(oldest ?? 0);
          expect((oldest ?? 0) - (kept ?? 0)).toBeLessThan(1_000);
        }
      }),
    );
  });

  it('stay few when there are many', () => {
    const events = new ReadModelLag();
    for (let n = 0; n < 20_000; n += 1) events.add(at(BigInt(n), n * 5_000), -1n);
    expect(events.oldest(-1n)?.seenMs).toBe(0);
    const late = 9_999 * 5_000 - (events.oldest(9_999n)?.seenMs ?? 0);
    expect(late).toBeLessThan(200_000);
    expect(events.newest(9_999n)?.position).toBe(19_999n);
    expect(keptBy(events)).toBeLessThan(2_048);
  });

  it('are forgotten once they are shown, also if nobody asks for their age', () => {
    const events = new ReadModelLag();
    for (let n = 0; n < 1_000; n += 1) {
      events.add(at(BigInt(n), n * 5_000), BigInt(n - 3));
      expect(keptBy(events)).toBeLessThanOrEqual(3);
    }
  });
});
