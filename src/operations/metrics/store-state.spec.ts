import { describe, expect, it, jest } from '@jest/globals';
import { type Pool } from 'pg';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { StoreState } from './store-state.js';
import { StoreStateMetrics } from './store-state-metrics.js';

describe('the state of the stores', () => {
  it('is read again at the next scrape after a reading that failed', async () => {
    const metrics = new StoreStateMetrics(new Metrics().registry);
    const down = { query: () => Promise.reject(new Error('The database does not answer.')) } as unknown as Pool;
    const eventStore = { headPosition: () => Promise.resolve(undefined), checkAppends: () => Promise.resolve() } as unknown as EventStore;
    const state = new StoreState(down, eventStore, metrics);
    const storeUp = jest.spyOn(metrics, 'storeUp').mockImplementationOnce(() => {
      throw new Error('A defect of a reading.');
    });
    await expect(state.refresh()).rejects.toThrow('A defect');
    await state.refresh();
    expect(storeUp.mock.calls.length).toBeGreaterThan(2);
  });
});
