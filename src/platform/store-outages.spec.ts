import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from './event-sourcing/event-store.js';
import { Outages } from './store-outages.js';

const full = (): Error => Object.assign(new Error('full'), { code: '53100' });
const refused = (): Error => Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });

describe('an outage of a store', () => {
  it('begins with its first error, lasts while there are errors, and is over after half a minute without one', () => {
    let now = 0;
    const outages = new Outages(() => now);
    expect([outages.isNew(full()), outages.isNew(full())]).toStrictEqual([true, false]);
    for (let step = 0; step < 10; step += 1) {
      now += 29_000;
      expect(outages.isNew(full())).toBe(false);
    }
    now += 30_001;
    expect(outages.isNew(full())).toBe(true);
  });

  it('is told from one with another reason', () => {
    const outages = new Outages(() => 0);
    expect([full(), refused(), new StoreUnavailable('late')].map((error) => outages.isNew(error))).toStrictEqual([true, true, true]);
    expect([full(), refused(), new StoreUnavailable('late')].map((error) => outages.isNew(error))).toStrictEqual([false, false, false]);
  });

  it('does not hide an error that belongs to none', () => {
    const outages = new Outages(() => 0);
    expect([outages.isNew(new TypeError('x')), outages.isNew(new TypeError('x'))]).toStrictEqual([true, true]);
  });
});
