import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MINUTE_MS, NO_COUNTS } from './figures.js';
import { type Batch, PendingFigures } from './pending-figures.js';

const totals = (lookups: number) => ({ ...NO_COUNTS, lookups });
const lookupsOf = ({ minutes }: Batch): [minute: number, lookups: number][] =>
  minutes.map(({ minuteMs, counts }) => [minuteMs / MINUTE_MS, counts.lookups]);

describe('the figures that a process has not written yet', () => {
  it('belong to the minute in which they were counted, also when the reading comes just after it', () => {
    const pending = new PendingFigures();
    pending.note(totals(2), 10 * MINUTE_MS + 55_000);
    pending.note(totals(9), 11 * MINUTE_MS + 5);
    pending.note(totals(10), 11 * MINUTE_MS + 5_005);
    expect(lookupsOf(pending.batch())).toStrictEqual([
      [10, 9],
      [11, 1],
    ]);
  });

  it('stay in the same batch until it is known to be written', () => {
    const pending = new PendingFigures();
    pending.note(totals(2), MINUTE_MS);
    const first = pending.batch();
    pending.note(totals(5), MINUTE_MS + 1);
    expect(pending.batch()).toBe(first);
    pending.written(first);
    const second = pending.batch();
    expect([second.number > first.number, lookupsOf(second)]).toStrictEqual([true, [[1, 3]]]);
  });

  it('are each written once, whatever fails in between', () => {
    const steps = fc.array(fc.record({ counted: fc.nat(5), passedMs: fc.nat(90_000), succeeds: fc.boolean() }));
    fc.assert(
      fc.property(steps, (all) => {
        const pending = new PendingFigures();
        const written = new Map<number, number>();
        let [counted, nowMs] = [0, 0];
        const write = (succeeds: boolean): void => {
          const batch = pending.batch();
          written.set(
            batch.number,
            lookupsOf(batch).reduce((sum, [, lookups]) => sum + lookups, 0),
          );
          if (succeeds) pending.written(batch);
        };
        for (const step of all) {
          counted += step.counted;
          nowMs += step.passedMs;
          pending.note(totals(counted), nowMs);
          write(step.succeeds);
        }
        write(true);
        write(true);
        expect([...written.values()].reduce((sum, each) => sum + each, 0)).toBe(counted);
      }),
    );
  });

  it('are those of a day at most, however long the database does not respond', () => {
    const pending = new PendingFigures();
    for (let minute = 0; minute <= 3_000; minute += 1) pending.note(totals(minute), minute * MINUTE_MS);
    const { minutes } = pending.batch();
    expect([minutes.length, minutes[0]?.minuteMs]).toStrictEqual([1_440, 1_560 * MINUTE_MS]);
  });
});
