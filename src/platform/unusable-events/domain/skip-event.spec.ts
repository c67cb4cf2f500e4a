import { describe, expect, it } from '@jest/globals';
import { type EventSkipped } from './events.js';
import { skipEventDecider } from './skip-event.js';

const event = { event_id: 'e-1', stream: 'wallet-p-1', revision: 1, position: '7', reason: 'a note', actor: 'cli' };
const at = '2026-11-21T10:00:00.000Z';
const skipped: EventSkipped = { type: 'EventSkipped', data: { ...event, recorded_at: at } };
const { decide, evolve, initialState } = skipEventDecider;

describe('the decision to skip an event', () => {
  it('is recorded with its reason', () => {
    expect(decide({ ...event, at }, initialState)).toStrictEqual([skipped]);
  });

  it('is recorded once', () => {
    const state = evolve(initialState, { ...skipped, revision: 0n });
    expect(decide({ ...event, at, reason: 'again' }, state)).toStrictEqual([]);
    expect(decide({ ...event, event_id: 'e-2', at }, state)).toHaveLength(1);
  });
});
