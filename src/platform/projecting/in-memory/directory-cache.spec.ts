import { describe, expect, it } from '@jest/globals';
import { DirectoryCache } from './directory-lease.js';

function setUp() {
  const listeners: (() => void)[] = [];
  const listener = { live: true, onDirectoryChanged: (each: () => void) => listeners.push(each) };
  const cache = new DirectoryCache<{ n: number }>(listener, 10);
  let reads = 0;
  const read = () => Promise.resolve({ n: (reads += 1) });
  return {
    cache,
    read,
    listener,
    change: () => {
      for (const each of listeners) each();
    },
  };
}

describe('the cache of partners, API keys and prices', () => {
  it('reads a value once, and again after a change', async () => {
    const { cache, read, change } = setUp();
    expect([await cache.get('a', read), await cache.get('a', read), await cache.get('b', read)]).toStrictEqual([
      { n: 1 },
      { n: 1 },
      { n: 2 },
    ]);
    change();
    expect(await cache.get('a', read)).toStrictEqual({ n: 3 });
  });

  it('reads every time while notifications could be missed', async () => {
    const { cache, read, listener } = setUp();
    await cache.get('a', read);
    listener.live = false;
    expect([await cache.get('a', read), await cache.get('a', read)]).toStrictEqual([{ n: 2 }, { n: 3 }]);
  });

  it('does not keep a value that was being read when a change was notified', async () => {
    const { cache, read, change } = setUp();
    await cache.get('a', () => {
      change();
      return read();
    });
    expect(await cache.get('a', read)).toStrictEqual({ n: 2 });
  });

  it('does not keep a value that the caller declares uncacheable', async () => {
    const { cache, read } = setUp();
    await cache.get('a', read, () => false);
    expect(await cache.get('a', read)).toStrictEqual({ n: 2 });
  });
});
