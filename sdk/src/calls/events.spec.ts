import { describe, expect, it } from '@jest/globals';
import { failure, ok, scriptedFetch, type Step } from '../../../test/support/unit/scripted-fetch.js';
import { type ListedEvent, RupaClient } from '../index.js';

const page = (next_cursor: string, ...ids: string[]): Step => ok({ events: ids.map((id) => ({ id })), next_cursor });
const idOf = ({ id }: ListedEvent): string => id;

function eventsOf(...steps: Step[]) {
  const { fetch, sent } = scriptedFetch(...steps);
  const { events } = new RupaClient({ apiKey: 'k', baseUrl: 'https://api.example', fetch, sleep: () => Promise.resolve() });
  return { events, queries: () => sent.map(({ url }) => Object.fromEntries(new URL(url).searchParams)) };
}

describe('the list of events', () => {
  it('ends at the first empty page', async () => {
    const { events, queries } = eventsOf(page('b', 'e-1', 'e-2'), page('c', 'e-3'), page('c'));
    const found: string[] = [];
    for await (const event of events.list({ limit: 2 })) found.push(idOf(event));
    expect(found).toStrictEqual(['e-1', 'e-2', 'e-3']);
    expect(queries()).toStrictEqual([{ limit: '2' }, { limit: '2', cursor: 'b' }, { limit: '2', cursor: 'c' }]);
  });
});

describe('a follower of events', () => {
  it('waits on the service, goes on after an empty page, and saves a cursor when the events before it are finished', async () => {
    const { events, queries } = eventsOf(page('b', 'e-1', 'e-2'), page('b'), page('c', 'e-3'));
    const log: string[] = [];
    for await (const event of events.follow({ type: 'farmer.loan_added', saveCursor: (cursor) => void log.push(`saved ${cursor}`) })) {
      log.push(idOf(event));
      if (idOf(event) === 'e-3') break;
    }
    expect(log).toStrictEqual(['e-1', 'e-2', 'saved b', 'e-3']);
    const query = { type: 'farmer.loan_added', wait: '25' };
    expect(queries()).toStrictEqual([query, { ...query, cursor: 'b' }, { ...query, cursor: 'b' }]);
  });

  it('outlasts more failures than another call would, and continues at its cursor', async () => {
    const down = Array.from({ length: 20 }, () => failure(503, 'unavailable'));
    const { events, queries } = eventsOf(page('b', 'e-1'), ...down, page('c', 'e-2'));
    const found: string[] = [];
    for await (const event of events.follow({ cursor: 'a', wait: 1 })) {
      found.push(idOf(event));
      if (found.length === 2) break;
    }
    expect(found).toStrictEqual(['e-1', 'e-2']);
    expect(queries().at(-1)).toStrictEqual({ cursor: 'b', wait: '1' });
  });

  it('goes on without a cursor that the service has accepted before and no longer knows', async () => {
    const expired = failure(422, 'validation_failed', {}, { errors: { cursor: ['The cursor field must be …'] } });
    const { events, queries } = eventsOf(page('b', 'e-1'), page('b'), expired, page('d', 'e-2'));
    const found: string[] = [];
    for await (const event of events.follow({ cursor: 'a', wait: 1 })) {
      found.push(idOf(event));
      if (found.length === 2) break;
    }
    expect(found).toStrictEqual(['e-1', 'e-2']);
    expect(queries().map(({ cursor }) => cursor)).toStrictEqual(['a', 'b', 'b', undefined]);
  });

  it('ends with an error if the service does not know the cursor that it was given', async () => {
    const expired = failure(422, 'validation_failed', {}, { errors: { cursor: ['The cursor field must be …'] } });
    const { events, queries } = eventsOf(expired, page('d', 'e-2'));
    await expect(events.follow({ cursor: 'a' }).next()).rejects.toMatchObject({ fieldErrors: { cursor: expect.any(Array) } });
    expect(queries()).toHaveLength(1);
  });

  it('ends with an error that no retry can mend, and with the reason of its signal', async () => {
    await expect(eventsOf(failure(422, 'validation_failed')).events.follow({ cursor: 'x' }).next()).rejects.toMatchObject({ status: 422 });
    const { events } = eventsOf(page('b', 'e-1'));
    const controller = new AbortController();
    const following = events.follow({}, { signal: controller.signal });
    await following.next();
    controller.abort(new Error('shutting down'));
    await expect(following.next()).rejects.toThrow('shutting down');
  });
});
