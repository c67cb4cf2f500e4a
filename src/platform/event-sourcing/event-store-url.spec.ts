import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EVENT_STORE_URL_PREFIXES, eventStoreUrl } from './event-store-url.js';
import { StoreClient } from './event-store-client/store-client.js';

const host = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}(\.[a-z]{2,5})?$/);
const port = fc.integer({ min: 1, max: 65_535 });
const credentials = fc.option(fc.stringMatching(/^[a-z]{1,8}:([a-z0-9]|%2F|%3a){1,8}@$/), { nil: '' });
const options = fc.constantFrom('', '?tls=true', '?tls=false&nodePreference=leader');

describe('a connection string of the event store', () => {
  it('is accepted if the client can use it, with every prefix that the setting names', async () => {
    const hosts = fc.array(
      fc.tuple(host, port).map(([name, number]) => `${name}:${number}`),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...EVENT_STORE_URL_PREFIXES), credentials, hosts, options, async (prefix, user, names, query) => {
        const url = `${prefix}${user}${names.join(',')}${query}`;
        expect(eventStoreUrl(url)).toBe(url);
        await StoreClient.factory(url)().dispose();
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    'esdb://',
    'esdb:host',
    'http://host',
    'esdb://host:port',
    'esdb://host:0',
    'esdb://host:65536',
    'esdb://ho st:2113',
    'esdb://host:2113,',
    'esdb://[::1]:2113',
    'esdb://hunter2@host',
    'esdb://user:hunter2/x@host',
    'esdb://user:hunter2%@host',
    'esdb://user:hunter2%ff@host',
    'esdb://host?tls=hunter2',
    'esdb://host:2113/path/more',
  ])('is refused as %s, and not quoted', (url) => {
    expect(() => eventStoreUrl(url)).toThrow(/^(it must be|each host must be|its option tls must be)/);
    expect(() => eventStoreUrl(url)).not.toThrow(/hunter2/);
  });
});
