import { describe, expect, it } from '@jest/globals';
import { DELIVERIES_PER_TRANSACTION, nextPartSize } from './notification.js';

describe('the number of notifying events in a transaction of the subscriber', () => {
  it.each([1, 20, 1_000, 100_000])('bounds the deliveries, for %i recipients per event, unless one event has more', (recipients) => {
    let size = 32;
    for (let part = 0; part < 10; part += 1) size = nextPartSize(size, { notifications: size, deliveries: size * recipients }, 500);
    expect(size * recipients).toBeLessThanOrEqual(Math.max(DELIVERIES_PER_TRANSACTION, recipients));
    expect(size).toBe(Math.max(1, Math.min(500, Math.floor(DELIVERIES_PER_TRANSACTION / recipients))));
  });

  it('doubles at most, up to the size of a batch, while nobody receives notifications', () => {
    expect(nextPartSize(32, { notifications: 32, deliveries: 0 }, 500)).toBe(64);
    expect(nextPartSize(400, { notifications: 3, deliveries: 0 }, 500)).toBe(500);
  });

  it('stays the same after events that are never notified', () => {
    expect(nextPartSize(32, { notifications: 0, deliveries: 0 }, 500)).toBe(32);
  });
});
