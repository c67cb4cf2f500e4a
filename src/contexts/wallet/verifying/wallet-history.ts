import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { breakdownOf } from '../../../../projections/wallet-entry/fees-of-entry.js';
import { walletEntryProjection, type WalletEntryRow } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { entriesToSearch, type SearchedRow } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { storableJson } from '../../../platform/database/postgres-text.js';
import { asRecorded, Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { Rejection } from '../../../platform/event-sourcing/decider.js';
import { EventStore, NO_EVENTS } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { RowForged, RowMacs } from '../../../platform/projecting/row-macs.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { walletStreamOf, type WalletEvent } from '../domain/events.js';
import { hashOfManual, isManual, type ManualEntry, type ManualEvent, manualEntryOf } from '../domain/crediting/manual-entries.js';
import { type SearchedEntries, WalletRejection } from '../domain/wallet-command.js';

/** The columns that decisions are based on. */
const FOUND = [
  ...(['type', 'revision', 'amount_kobo', 'reference', 'kind', 'credit_reference', 'lookup_id', 'rupa_id'] as const),
  ...(['breakdown_kobo', 'vat_percent', 'bank_fee_kobo', 'withheld_tax_kobo'] as const),
] as const;

/** An entry as the search returns it. Amounts are changes of the balance in integer kobo. */
export type FoundEntry = Pick<WalletEntryRow, (typeof FOUND)[number]>;

/** Selects manual entries by their references, or by the credit that they reverse, or a lookup's compensation and its charge. */
export interface Search {
  readonly references?: readonly string[];
  readonly creditReference?: string;
  readonly lookupId?: string;
}

const MAX_ATTEMPTS = 5;
/** Entries that are read at a time, few enough that decoding them delays no other call. */
const PAGE = 500;

/**
 * Searches a whole wallet. A command's decider knows only the last entries of a long stream (docs/adr/0002), so the earlier ones are
 * searched in the read model, once it has caught up with the last entry read here. Entries appended after that one are in the decider's
 * state. The read model only says where the entries are: the hash in the log proves that it has all manual ones (docs/adr/0069), and each
 * that is found is read from the log, so that no edited row decides about money.
 */
@Injectable()
export class WalletHistory {
  private readonly events: GenuineEvents;

  constructor(
    private readonly eventStore: EventStore,
    private readonly listener: ReadModelListener,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    codec: Codec,
    private readonly macs: RowMacs,
  ) {
    this.events = new GenuineEvents(eventStore, codec);
  }

  /**
   * Runs `decide` with what the search found, and again with a new search while the wallet moved on in between.
   * @throws Rejection `credit_history_moved` if the wallet stayed too busy or the read model too far behind; RowForged if it differs from the
   * log; HistoryMissing and EventSetAside
   */
  async search<Result>(
    partnerId: string,
    search: Search,
    decide: (found: readonly FoundEntry[], searched: SearchedEntries) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const last = await this.eventStore.lastEvent(walletStreamOf(partnerId));
        if (last && !(await this.listener.waitFor(last.position, undefined, [walletEntryProjection.name])))
          throw new WalletRejection('credit_history_moved');
        const manual_entries_hash = await this.manualHash(walletStreamOf(partnerId), last);
        const found = await this.find(partnerId, search, last, manual_entries_hash);
        return await decide(found, { checked_to_revision: last?.revision ?? NO_EVENTS, manual_entries_hash });
      } catch (error) {
        if (!(error instanceof Rejection && error.code === 'credit_history_moved') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Returns whether a charge was refunded, as the log says: the row of its refund may have been deleted. The charges of a wallet are closed
   * soon, so the entry that closes one follows within some hundred others.
   */
  async wasRefunded(partnerId: string, debitRevision: number): Promise<boolean> {
    for await (const page of this.eventStore.streamPages(walletStreamOf(partnerId), BigInt(debitRevision) + 1n, PAGE)) {
      for (const { type, data } of (await this.events.decode(page)).map((each) => asRecorded<WalletEvent>(each))) {
        if (type === 'RefundIssued' && data.debit_revision === debitRevision) return true;
        if (type === 'ChargesSettled' && data.charges.some(({ debit_revision }) => debit_revision === debitRevision)) return false;
      }
    }
    return false;
  }

  /**
   * Returns the hash of a wallet's manual entries up to `last` from the log alone. The wallet is read backwards to the newest of them that
   * records the hash of those before it: to its last credit, or to the first entry if earlier releases recorded all of them.
   */
  private async manualHash(stream: string, last: StoredEvent | undefined): Promise<string> {
    const newer: ManualEntry[] = [];
    for (let from = last?.revision ?? NO_EVENTS; from >= 0n; from -= BigInt(PAGE)) {
      const page = await this.eventStore.readStream(stream, { from, backwards: true, maxCount: PAGE });
      for (const each of await this.events.decode(page.filter(({ type }) => isManual(type)))) {
        const event = asRecorded<ManualEvent>(each);
        newer.unshift(manualEntryOf(event));
        if (event.data.manual_entries_hash !== undefined) return hashOfManual(newer, event.data.manual_entries_hash);
      }
    }
    return hashOfManual(newer);
  }

  /** @param hash that of the manual entries up to `last` */
  private async find(partnerId: string, search: Search, last: StoredEvent | undefined, hash: string): Promise<FoundEntry[]> {
    const { references = [], creditReference = null, lookupId = null } = search;
    const rows = await entriesToSearch(this.pool, partnerId, lookupId, last?.position ?? -1n);
    if (!rows) throw new WalletRejection('credit_history_moved');
    // The read model may have gone on meanwhile. Later entries are in the decider's state, and would count twice.
    const entries = rows.filter(({ revision }) => BigInt(revision) <= (last?.revision ?? NO_EVENTS));
    if (hashOfManual(entries.filter(({ type }) => isManual(type))) !== hash)
      throw this.forged({ partner_id: partnerId, revision: Number(last?.revision ?? 0) });
    const found = entries.filter(
      ({ reference, credit_reference, lookup_id }) =>
        (reference !== null && references.includes(reference)) ||
        (credit_reference !== null && credit_reference === creditReference) ||
        (lookup_id !== null && lookup_id === lookupId),
    );
    return await Promise.all(found.map((row) => this.asRecorded(partnerId, row)));
  }

  /** Returns what the log says of the entry. @throws RowForged if the row says something else */
  private async asRecorded(partnerId: string, row: SearchedRow): Promise<FoundEntry> {
    const stream = walletStreamOf(partnerId);
    const stored = await this.eventStore.eventIn(stream, BigInt(row.revision));
    const [event] = stored ? await this.events.decode([stored]) : [];
    const recorded = event && walletEntryProjection.handler(event.type)?.apply(null, event, {}, [null]);
    const genuine = recorded && foundEntry(recorded as WalletEntryRow);
    if (!genuine || !isDeepStrictEqual(foundEntry(row), genuine)) throw this.forged(row);
    return genuine;
  }

  /** Names a row of a wallet whose rows are not those of the log: the newest one, if nobody knows which. */
  private forged(row: Pick<WalletEntryRow, 'partner_id' | 'revision'>): RowForged {
    this.macs.note(walletEntryProjection.table, row);
    return new RowForged(walletEntryProjection.name);
  }
}

/** Returns the entry with its texts as PostgreSQL stores them. */
function foundEntry(row: SearchedRow): FoundEntry {
  const found = FOUND.map((name) => [name, name === 'breakdown_kobo' ? breakdownOf(row) : row[name]]);
  return JSON.parse(storableJson(Object.fromEntries(found))) as FoundEntry;
}
