import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { type Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { RowForged, type RowMacs } from '../../../platform/projecting/row-macs.js';
import { type FoundEntry, WalletHistory } from './wallet-history.js';

const search = { references: ['r'], creditReference: 'r' };

const eventAt = (revision: number): StoredEvent => ({
  id: '',
  stream: 'wallet-p',
  revision: BigInt(revision),
  position: BigInt(revision),
  type: 'CreditReversed',
  data: {
    partner_id: 'p',
    recorded_at: '',
    amount_kobo: 5,
    credit_reference: 'r',
    reference: `r${revision}`,
    kind: 'payment',
    reason: '',
  },
  metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 },
});

const rowAt = (revision: number): object =>
  walletEntryProjection.handler('CreditReversed')?.apply(null, eventAt(revision), {}, [null]) ?? {};

/** A wallet with so many entries, of which the read model shows more by the time at which it is searched. */
function historyOf(entries: number, shown: readonly object[], onForged: () => void = () => undefined): WalletHistory {
  const revision = BigInt(entries) - 1n;
  const eventStore = {
    lastEvent: () => Promise.resolve(entries === 0 ? undefined : { revision, position: revision }),
    eventIn: (_stream: string, at: bigint) => Promise.resolve(at <= revision ? eventAt(Number(at)) : undefined),
  };
  const codec = { decodeUsable: (events: readonly StoredEvent[]) => Promise.resolve({ events, unusable: [] }) };
  const rows = shown.length === 0 ? [{ partner_id: null }] : shown;
  const pool = { query: () => Promise.resolve({ rows: rows.map((row) => ({ caught_up: true, ...row })) }) };
  const listener = { waitFor: () => Promise.resolve(true) };
  return new WalletHistory(
    eventStore as unknown as EventStore,
    listener as unknown as ReadModelListener,
    pool as unknown as Pool,
    codec as unknown as Codec,
    { note: onForged } as unknown as RowMacs,
  );
}

const rowsOf = (count: number): object[] => Array.from({ length: count }, (_, index) => rowAt(index));
const foundBy = (history: WalletHistory): Promise<readonly FoundEntry[]> => history.search('p', search, (rows) => Promise.resolve(rows));

describe('a search of a wallet', () => {
  it('finds nothing after the revision that it names, which the decider knows already', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(5), fc.nat(5), async (entries, later) => {
        const [found, checkedTo] = await historyOf(entries, rowsOf(entries + later)).search('p', search, (rows, revision) =>
          Promise.resolve([rows.map((each) => each.revision), revision] as const),
        );
        expect(checkedTo).toBe(BigInt(entries) - 1n);
        expect(found).toStrictEqual(Array.from({ length: entries }, (_, index) => index));
      }),
    );
  });

  it('decides by no row that differs from the log, whatever somebody changed', async () => {
    const [row] = rowsOf(1);
    const [genuine] = await foundBy(historyOf(1, [rowAt(0)]));
    expect(genuine).toMatchObject({ amount_kobo: -5 });
    for (const [column, value] of Object.entries(genuine ?? {})) {
      if (column === 'revision') continue;
      const edited = { ...row, [column]: typeof value === 'number' ? value + 1 : 'another' };
      let named = 0;
      await expect(foundBy(historyOf(1, [edited], () => void (named += 1)))).rejects.toThrow(RowForged);
      expect(named).toBe(1);
    }
    await expect(foundBy(historyOf(2, [{ ...row, revision: 1 }]))).rejects.toThrow(RowForged);
  });
});
