import { describe, expect, it } from '@jest/globals';
import { DirectoryCache } from './directory-cache.js';
import { type ReadModelListener } from './read-model-listener.js';

function setUp() {
  const listeners: (() => void)[] = [];
  const listener = { live: true, onDirectoryChanged: (each: () => void) => listeners.push(each) };
  const cache = new DirectoryCache<{ n: number }>(listener as unknown as ReadModelListener, 10);
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

describe('what is kept of partners, keys and prices', () => {
  it('is read once, and again after a change', async () => {
    const { cache, read, change } = setUp();
    expect([await cache.get('a', read), await cache.get('a', read), await cache.get('b', read)]).toStrictEqual([
      { n: 1 },
      { n: 1 },
      { n: 2 },
    ]);
    change();
    expect(await cache.get('a', read)).toStrictEqual({ n: 3 });
  });

  it('is nothing while news could be missed', async () => {
    const { cache, read, listener } = setUp();
    await cache.get('a', read);
    listener.live = false;
    expect([await cache.get('a', read), await cache.get('a', read)]).toStrictEqual([{ n: 2 }, { n: 3 }]);
  });

  it('is not what was read while a change came', async () => {
    const { cache, read, change } = setUp();
    await cache.get('a', () => {
      change();
      return read();
    });
    expect(await cache.get('a', read)).toStrictEqual({ n: 2 });
  });

  it('is not what nobody wants kept', async () => {
    const { cache, read } = setUp();
    await cache.get('a', read, () => false);
    expect(await cache.get('a', read)).toStrictEqual({ n: 2 });
  });
});
