import { describe, expect, it } from '@jest/globals';
import { waitForStores } from './wait-for-stores.js';

/** No resolver knows a name below .invalid (RFC 6761). */
const UNKNOWN = {
  databaseUrl: 'postgres://u:hunter2@nowhere.invalid/rupa',
  eventStoreUrl: 'esdb://u:hunter2@nowhere.invalid:2113?tls=false',
  masterKey: '',
  adminToken: '',
  auditorToken: '',
};

describe('the wait for the stores', () => {
  it('goes on while the name of a store does not resolve, because its container may not have started yet', async () => {
    const said: string[] = [];
    const stopping = new AbortController();
    const say = (text: string): void => {
      said.push(text);
      if (said.length === 2) stopping.abort();
    };
    await expect(waitForStores(UNKNOWN, { seconds: 3_600, connections: 1, say, signal: stopping.signal })).rejects.toThrow();
    expect(said.sort()).toStrictEqual([
      'PostgreSQL at nowhere.invalid does not answer yet (its host name does not resolve); waiting up to 3600 s …',
      'The event store at nowhere.invalid:2113 does not answer yet (its host name does not resolve); waiting up to 3600 s …',
    ]);
  });

  it('ends with a sentence that names the variable of the host that does not resolve', async () => {
    const options = { seconds: 0, connections: 1, say: () => undefined, signal: new AbortController().signal };
    await expect(waitForStores(UNKNOWN, options)).rejects.toThrow(
      /at nowhere\.invalid\S* did not answer in 0 s \(its host name does not resolve\)\. Start it, correct (DATABASE|EVENT_STORE)_URL, or raise/,
    );
  });
});
