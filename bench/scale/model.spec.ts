import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forecast, type Load, scaled } from './model.js';

const LOAD: Load = { lookupsPerDay: 1_000_000, firstShare: 0, keyedShare: 0, reportsPerDay: 0, deliveriesPerDay: 0, peak: 1 };

describe('the forecast of a load', () => {
  it('multiplies the bytes of a repeated lookup by the lookups of a year', () => {
    const { eventStore, tables, wal, pruned } = forecast(LOAD);
    expect({ eventStore, tables, wal, pruned }).toStrictEqual({
      eventStore: 365 * 1_000_000 * 1_083,
      tables: 365 * 1_000_000 * 750,
      wal: 365 * 1_000_000 * 2_687,
      pruned: 0,
    });
  });

  it('keeps the stored responses of one day and the notifications of thirty', () => {
    expect(forecast({ ...LOAD, keyedShare: 1 }).pruned).toBe(1_000_000 * 4_644);
    expect(forecast({ ...LOAD, lookupsPerDay: 0, reportsPerDay: 1_000 }).pruned).toBe(30 * 1_000 * 245);
  });

  it('counts cores in the busiest second', () => {
    const { cores, lookupsPerSecond } = forecast({ ...LOAD, lookupsPerDay: 86_400_000, peak: 2 });
    expect(lookupsPerSecond).toBe(2_000);
    expect(cores.api).toBeCloseTo(2_000 * 354e-6);
    expect(cores.projector).toBeCloseTo(2_000 * 124e-6);
  });

  it('adds APIs until none is busy for more than 70 % of a core', () => {
    expect(forecast(LOAD).apis).toBe(1);
    expect(forecast({ ...LOAD, lookupsPerDay: 864_000_000 }).apis).toBe(6);
  });

  it('names the part without a second process that uses most of its core', () => {
    expect(forecast(LOAD).busiest.part).toBe('eventStore');
    expect(forecast({ ...LOAD, lookupsPerDay: 0, reportsPerDay: 1_000 }).busiest.part).toBe('projector');
  });

  it('grows in proportion to the load', () => {
    const load = fc.record({
      lookupsPerDay: fc.nat(10_000_000),
      firstShare: fc.double({ min: 0, max: 1, noNaN: true }),
      keyedShare: fc.double({ min: 0, max: 1, noNaN: true }),
      reportsPerDay: fc.nat(1_000_000),
      deliveriesPerDay: fc.nat(1_000_000),
      peak: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(load, fc.integer({ min: 1, max: 1_000 }), (given, factor) => {
        const [one, many] = [forecast(given), forecast(scaled(given, factor))];
        for (const store of ['eventStore', 'tables', 'wal', 'pruned'] as const) expect(many[store] / factor).toBeCloseTo(one[store], -3);
        expect(many.cores.postgres / factor).toBeCloseTo(one.cores.postgres, 6);
      }),
    );
  });
});
