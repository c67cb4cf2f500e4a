import { describe, expect, it } from '@jest/globals';
import { DeliverySlots } from './delivery-slots.js';
import { LANES } from '../domain/fair-shares.js';

const endpoint = (endpoint_id: number, partner_id = `p${endpoint_id}`) => ({ endpoint_id, partner_id });
const prompt = { delivered: true, timedOut: false, durationMs: 20 };

describe('the slots of a sender', () => {
  /** Returns slots of which a single one is free for untried endpoints. */
  const almostFull = (): DeliverySlots => {
    const slots = new DeliverySlots();
    for (let id = 1_001; id < 1_000 + LANES.untried.slots; id += 1) slots.begin(endpoint(id));
    return slots;
  };

  it('go to partners in turn, however many endpoints each has', () => {
    const slots = almostFull();
    const [large, small] = [[1, 2, 3].map((id) => endpoint(id, 'large')), endpoint(4, 'small')];
    const chosen = Array.from({ length: 6 }, () => {
      slots.setDue([...large, small]);
      return [...slots.choose().keys()];
    });
    expect(chosen).toStrictEqual([[1], [4], [2], [4], [3], [4]]);
  });

  it('are kept for an endpoint with fewer due deliveries than chosen only after the next survey', () => {
    const slots = new DeliverySlots();
    slots.setDue([endpoint(1), endpoint(2)]);
    const starts = slots.choose();
    slots.claimed(starts, [endpoint(2)]);
    expect([...slots.choose().keys()]).toStrictEqual([2]);
    slots.setDue([endpoint(1), endpoint(2)]);
    expect([...slots.choose().keys()].sort()).toStrictEqual([1, 2]);
  });

  it('become free when an attempt ends, or overruns', () => {
    const slots = almostFull();
    slots.setDue([endpoint(2)]);
    const last = slots.begin(endpoint(1));
    expect(slots.choose().size).toBe(0);
    slots.overrun(last);
    expect(slots.choose().size).toBe(1);
    slots.begin(endpoint(3));
    expect(slots.choose().size).toBe(0);
    slots.end(slots.begin(endpoint(4)));
    expect(slots.usage().inFlight).toStrictEqual({ responsive: 0, untried: LANES.untried.slots, slow: 0, overrunning: 1 });
  });

  it('are limited to one for a slow endpoint, until it responds', () => {
    const slots = new DeliverySlots();
    slots.setDue([endpoint(1)]);
    const first = slots.begin(endpoint(1));
    slots.overrun(first);
    expect([slots.choose().size, slots.usage().slowEndpoints]).toStrictEqual([0, 1]);
    slots.end(first);
    expect([...slots.choose()]).toStrictEqual([[1, 1]]);
    const second = slots.begin(endpoint(1));
    slots.overrun(second);
    expect(slots.usage().inFlight).toMatchObject({ slow: 1, overrunning: 0 });
    slots.responded(second, prompt);
    slots.end(second);
    expect([...slots.choose()]).toStrictEqual([[1, LANES.responsive.perEndpoint]]);
    expect(slots.usage().slowEndpoints).toBe(0);
  });
});
