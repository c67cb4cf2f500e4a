import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { TooManyRequests } from '../../../http/limiting/rate-limits.js';
import { type ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { EventArrivals, MAX_WAITING_PER_PARTNER } from './event-arrivals.js';

const HOUR_MS = 3_600_000;

describe('a call that waits for events', () => {
  let arrivals: EventArrivals;
  let notify: () => void;
  /** The partners that the database finds news for, or its failure. */
  let news: () => readonly string[];
  let queries: number;
  let gone: AbortController;

  beforeEach(() => {
    [queries, gone, news] = [0, new AbortController(), () => []];
    const listener = { onNotification: (_channel: string, listen: () => void) => (notify = listen) };
    const query = () => {
      queries += 1;
      return Promise.resolve().then(() => ({ rows: [{ newest: String(queries), partners: news() }] }));
    };
    arrivals = new EventArrivals(listener as unknown as ReadModelListener, { query } as unknown as Pool);
  });

  afterEach(() => {
    gone.abort();
  });

  const waiting = (partnerId: string): Promise<boolean> =>
    arrivals.wait(partnerId, async (waiter) => await waiter.next(HOUR_MS, gone.signal));
  /** Notifies once, so that the list is known to this point. The first notification wakes every call. */
  const first = async (): Promise<void> => {
    const woken = waiting('p0');
    notify();
    expect(await woken).toBe(true);
  };

  it('is woken by a notification if there is news for its partner', async () => {
    let isWoken = false;
    await arrivals.wait('p3', async () => {
      await first();
      news = () => ['p1'];
      const [one, other] = [waiting('p1'), waiting('p2').finally(() => (isWoken = true))];
      notify();
      expect([await one, isWoken]).toStrictEqual([true, false]);
      gone.abort();
      expect(await other).toBe(false);
    });
  });

  it('is told of what arrived between its search and its wait', async () => {
    const woken = await arrivals.wait('p1', async (waiter) => {
      notify();
      await Promise.resolve();
      return await waiter.next(HOUR_MS, gone.signal);
    });
    expect(woken).toBe(true);
  });

  it('is woken if the database does not say for whom there is news', async () => {
    await arrivals.wait('p3', async () => {
      await first();
      news = () => {
        throw new Error('The database does not respond.');
      };
      const call = waiting('p1');
      notify();
      expect(await call).toBe(true);
    });
  });

  it('costs one query for each notification, however many wait, and none while nobody does', async () => {
    notify();
    expect(queries).toBe(0);
    const calls = ['p1', 'p2', 'p3', 'p1'].map(waiting);
    notify();
    expect(await Promise.all(calls)).toStrictEqual([true, true, true, true]);
    expect(queries).toBe(1);
  });

  it('ends when its time is over, its caller goes away or the service stops', async () => {
    expect(await arrivals.wait('p1', (waiter) => waiter.next(1, gone.signal))).toBe(false);
    const calls = [waiting('p1'), waiting('p2')];
    arrivals.onModuleDestroy();
    expect(await Promise.all(calls)).toStrictEqual([false, false]);
    expect(await waiting('p1')).toBe(false);
  });

  it('is refused if too many of its partner wait', async () => {
    const calls = Array.from({ length: MAX_WAITING_PER_PARTNER }, () => waiting('p1'));
    await expect(waiting('p1')).rejects.toBeInstanceOf(TooManyRequests);
    const other = waiting('p2');
    gone.abort();
    expect(new Set(await Promise.all([...calls, other]))).toStrictEqual(new Set([false]));
    expect(await arrivals.wait('p1', () => Promise.resolve('again'))).toBe('again');
  });
});
