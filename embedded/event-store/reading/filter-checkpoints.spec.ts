import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Checkpoints } from './filter-checkpoints.js';
import { type AllRequest, type Place } from './requested-read.js';

const options = fc.record({ window: fc.integer({ min: 1, max: 40 }), multiplier: fc.integer({ min: 1, max: 4 }) });
/** Whether each event of a log passes the filter. */
const events = fc.array(fc.boolean(), { maxLength: 300 });

function checkpointsOf({ window, multiplier }: { window: number; multiplier: number }, start?: Place): Checkpoints {
  return new Checkpoints({ window, checkpointInterval: window * multiplier } as AllRequest, start);
}

const orderOf = ({ commit, prepare }: Place): number => commit + (prepare === commit ? 0.5 : 0);

describe('the checkpoints of a catch-up', () => {
  it('ascend, and never lie behind an event that was not considered', () => {
    fc.assert(
      fc.property(options, events, (one, log) => {
        const checkpoints = checkpointsOf(one);
        const reported: Place[] = [];
        log.forEach((isSent, index) => {
          const place = checkpoints.after(index + 1, isSent);
          if (place) reported.push(place);
          expect((reported.at(-1)?.commit ?? 0) <= index + 1).toBe(true);
        });
        const last = checkpoints.goLive();
        const orders = [...reported, ...(last ? [last] : [])].map(orderOf);
        expect(orders).toEqual([...new Set(orders)].toSorted((a, b) => a - b));
      }),
    );
  });

  it('follow each interval of considered events', () => {
    fc.assert(
      fc.property(options, fc.integer({ min: 0, max: 300 }), (one, count) => {
        const checkpoints = checkpointsOf(one);
        const due = Array.from({ length: count }, (_unused, index) => checkpoints.after(index + 1, false)).flatMap((place, index) =>
          place ? [[index + 1, place.commit]] : [],
        );
        const interval = one.window * one.multiplier;
        const expected = Array.from({ length: Math.floor(count / interval) }, (_unused, index) => (index + 1) * interval);
        expect(due).toEqual(expected.map((position) => [position, position - one.window + 1]));
      }),
    );
  });

  it('end with the newest event that was sent', () => {
    fc.assert(
      fc.property(options, events, (one, log) => {
        const checkpoints = checkpointsOf(one);
        const inPages = log.map((isSent, index) => checkpoints.after(index + 1, isSent));
        const last = checkpoints.goLive() ?? inPages.findLast((place) => place);
        const newestSent = log.lastIndexOf(true) + 1;
        if (newestSent > 0) expect(last?.commit).toBeGreaterThanOrEqual(newestSent);
        else if (log.length < one.window) expect(last).toBeUndefined();
      }),
    );
  });
});

describe('the checkpoints of a live subscription', () => {
  it('are the last event of each interval', () => {
    fc.assert(
      fc.property(options, events, events, (one, past, log) => {
        const checkpoints = checkpointsOf(one);
        past.forEach((isSent, index) => checkpoints.after(index + 1, isSent));
        checkpoints.goLive();
        const interval = one.window * one.multiplier;
        const due = log.flatMap((isSent, index) => checkpoints.after(past.length + index + 1, isSent) ?? []);
        const expected = Array.from(
          { length: Math.floor(log.length / interval) },
          (_unused, index) => past.length + (index + 1) * interval,
        );
        expect(due).toEqual(expected.map((position) => ({ commit: position, prepare: position })));
      }),
    );
  });
});
