import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Pool } from 'pg';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { WalletHistory } from './wallet-history.js';

/** A wallet with so many entries, of which the read model shows more by the time at which it is searched. */
function historyOf(entries: number, shown: number): WalletHistory {
  const revision = BigInt(entries) - 1n;
  const eventStore = { lastEvent: () => Promise.resolve(entries === 0 ? undefined : { revision, position: revision }) };
  const row = (index: number) => ({
    caught_up: true,
    partner_id: 'p',
    revision: index,
    type: 'CreditReversed',
    fees: null,
    breakdown_kobo: null,
  });
  const rows = shown === 0 ? [{ caught_up: true, partner_id: null }] : Array.from({ length: shown }, (_, index) => row(index));
  const pool = { query: () => Promise.resolve({ rows }) };
  const listener = { waitFor: () => Promise.resolve(true) };
  return new WalletHistory(eventStore as unknown as EventStore, listener as unknown as ReadModelListener, pool as unknown as Pool);
}

describe('a search of a wallet', () => {
  it('finds nothing after the revision that it names, which the decider knows already', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(5), fc.nat(5), async (entries, later) => {
        const search = { references: ['r'], creditReference: 'r' };
        const [found, checkedTo] = await historyOf(entries, entries + later).search('p', search, (rows, revision) =>
          Promise.resolve([rows.map((each) => each.revision), revision] as const),
        );
        expect(checkedTo).toBe(BigInt(entries) - 1n);
        expect(found).toStrictEqual(Array.from({ length: entries }, (_, index) => index));
      }),
    );
  });
});
