import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Pool } from 'pg';
import { credited, paidOut, refunded, reversed, compensated, settled } from '../../../../test/support/unit/wallet-events.js';
import { withManualHashes } from '../../../../test/support/unit/given-wallet.js';
import { walletEntryProjection, type WalletEntryRow } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { type Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type RecordedEvent, type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { RowForged, type RowMacs } from '../../../platform/projecting/row-macs.js';
import { type WalletEvent } from '../domain/events.js';
import { hashOfManual, isManual } from '../domain/crediting/manual-entries.js';
import { type SearchedEntries } from '../domain/wallet-command.js';
import { type FoundEntry, WalletHistory } from './wallet-history.js';

const search = { references: ['r'], creditReference: 'r' };

const reversalAt = (revision: number): WalletEvent => {
  const { type, data } = reversed(5, 'r');
  return { type, data: { ...data, reference: `r${revision}` } } as WalletEvent;
};
const walletOf = (count: number): WalletEvent[] => withManualHashes(Array.from({ length: count }, (_, index) => reversalAt(index)));

const recordedAt = ({ type, data }: WalletEvent, revision: number): StoredEvent => ({
  id: '',
  stream: 'wallet-p1',
  revision: BigInt(revision),
  position: BigInt(revision),
  type,
  data: data as unknown as StoredEvent['data'],
  metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 },
});

const rowsOf = (events: readonly WalletEvent[]): WalletEntryRow[] =>
  events.map(
    (each, index) =>
      walletEntryProjection.handler(each.type)?.apply(null, recordedAt(each, index) as RecordedEvent, {}, [null]) as WalletEntryRow,
  );

/** A wallet with these events, of which the read model shows other rows by the time at which it is searched. */
function historyOf(
  events: readonly WalletEvent[],
  shown: readonly WalletEntryRow[],
  onForged: () => void = () => undefined,
): WalletHistory {
  const log = events.map((each, index) => recordedAt(each, index));
  const eventStore = {
    lastEvent: () => Promise.resolve(log.at(-1)),
    eventIn: (_stream: string, at: bigint) => Promise.resolve(log[Number(at)]),
    readStream: (_stream: string, { from, maxCount }: { from: bigint; maxCount: number }) =>
      Promise.resolve(log.slice(Math.max(0, Number(from) + 1 - maxCount), Number(from) + 1).reverse()),
  };
  const codec = { decodeUsable: (page: readonly StoredEvent[]) => Promise.resolve({ events: page, unusable: [] }) };
  const rows = shown.filter(({ type }) => isManual(type)).toSorted((one, other) => one.revision - other.revision);
  const found = rows.length === 0 ? [{ partner_id: null }] : rows;
  const pool = { query: () => Promise.resolve({ rows: found.map((row) => ({ caught_up: true, ...row })) }) };
  const listener = { waitFor: () => Promise.resolve(true) };
  return new WalletHistory(
    eventStore as unknown as EventStore,
    listener as unknown as ReadModelListener,
    pool as unknown as Pool,
    codec as unknown as Codec,
    { note: onForged } as unknown as RowMacs,
  );
}

const foundBy = (history: WalletHistory): Promise<readonly FoundEntry[]> => history.search('p1', search, (rows) => Promise.resolve(rows));

describe('a search of a wallet', () => {
  it('finds nothing after the revision that it names, which the decider knows already', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(5), fc.nat(5), async (entries, later) => {
        const shown = rowsOf(walletOf(entries + later));
        const [found, { checked_to_revision }] = await historyOf(walletOf(entries), shown).search('p1', search, (rows, searched) =>
          Promise.resolve([rows.map((each) => each.revision), searched] as const),
        );
        expect(checked_to_revision).toBe(BigInt(entries) - 1n);
        expect(found).toStrictEqual(Array.from({ length: entries }, (_, index) => index));
      }),
    );
  });

  it('decides by no row that differs from the log, whatever somebody changed', async () => {
    const events = walletOf(1);
    const [row] = rowsOf(events) as [WalletEntryRow];
    const [genuine] = await foundBy(historyOf(events, [row]));
    expect(genuine).toMatchObject({ amount_kobo: -5 });
    for (const [column, value] of Object.entries(genuine ?? {})) {
      const edited = { ...row, [column]: typeof value === 'number' ? value + 1 : 'another' };
      let named = 0;
      await expect(foundBy(historyOf(events, [edited], () => void (named += 1)))).rejects.toThrow(RowForged);
      expect(named).toBe(1);
    }
  });
});

describe('a search of any wallet', () => {
  /** Any order of entries, of which earlier releases recorded some without the hash of those before. */
  const wallet = fc
    .array(
      fc.record({
        event: fc.oneof(
          fc.nat(3).map((number) => credited(5, `r${number}`)),
          fc.nat(3).map((number) => reversed(1, `r${number}`)),
          fc.nat(3).map((number) => paidOut(1, `p${number}`)),
          fc.nat(3).map((number) => compensated(`l${number}`, 'rp-1', 0)),
          fc.nat(3).map((number) => refunded(`l${number}`, 'rp-1', 0)),
          fc.constant(settled()),
        ),
        isEarlier: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((drawn) =>
      withManualHashes(drawn.map(({ event }) => event)).map((event, index) =>
        drawn[index]?.isEarlier
          ? ({ type: event.type, data: { ...event.data, manual_entries_hash: undefined } } as unknown as WalletEvent)
          : event,
      ),
    );
  const searchedIn = (events: readonly WalletEvent[], rows: readonly WalletEntryRow[]): Promise<SearchedEntries> =>
    historyOf(events, rows).search('p1', {}, (_found, searched) => Promise.resolve(searched));

  it('passes on the hash of all manual entries, whichever releases recorded them', async () => {
    await fc.assert(
      fc.asyncProperty(wallet, async (events) => {
        const rows = rowsOf(events);
        const manual_entries_hash = hashOfManual(rows.filter(({ type }) => isManual(type)));
        expect(await searchedIn(events, rows)).toStrictEqual({ checked_to_revision: BigInt(events.length - 1), manual_entries_hash });
      }),
    );
  });

  it('is refused if a row of a manual entry was deleted, edited or added, whichever release recorded the entry', async () => {
    const edits: readonly ((row: WalletEntryRow) => WalletEntryRow[])[] = [
      () => [],
      (row) => [{ ...row, type: 'ChargesSettled' }],
      (row) => [{ ...row, type: row.type === 'WalletCredited' ? 'WalletPaidOut' : 'WalletCredited' }],
      (row) => [{ ...row, reference: 'other' }],
      (row) => [{ ...row, credit_reference: 'other' }],
      (row) => [{ ...row, lookup_id: 'other' }],
      (row) => [{ ...row, revision: row.revision - 100 }],
      (row) => [row, { ...row, revision: row.revision - 100 }],
    ];
    await fc.assert(
      fc.asyncProperty(wallet, fc.nat(), fc.constantFrom(...edits), async (events, which, edit) => {
        const rows = rowsOf(events);
        const manual = rows.filter(({ type }) => isManual(type));
        const edited = manual[which % manual.length];
        fc.pre(edited !== undefined);
        await expect(
          searchedIn(
            events,
            rows.flatMap((row) => (row === edited ? edit(row) : [row])),
          ),
        ).rejects.toThrow(RowForged);
      }),
    );
  });
});
