import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { breakdownOf } from '../../../../projections/wallet-entry/fees-of-entry.js';
import { walletEntryProjection, type WalletEntryRow } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { type Search, searchEntries } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { storableJson } from '../../../platform/database/postgres-text.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { Rejection } from '../../../platform/event-sourcing/decider.js';
import { EventStore, NO_EVENTS } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { RowForged, RowMacs } from '../../../platform/projecting/row-macs.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { walletStreamOf } from '../domain/events.js';
import { WalletRejection } from '../domain/wallet-command.js';

/** The columns that decisions are based on. */
const FOUND = [
  ...(['type', 'revision', 'amount_kobo', 'reference', 'kind', 'credit_reference', 'lookup_id', 'rupa_id'] as const),
  ...(['breakdown_kobo', 'vat_percent', 'bank_fee_kobo', 'withheld_tax_kobo'] as const),
] as const;

/** An entry as the search returns it. Amounts are changes of the balance in integer kobo. */
export type FoundEntry = Pick<WalletEntryRow, (typeof FOUND)[number]>;

const MAX_ATTEMPTS = 5;

/**
 * Searches a whole wallet. A command's decider knows only the last entries of a long stream (docs/adr/0002), so the earlier ones are
 * searched in the read model, once it has caught up with the last entry read here. Entries appended after that one are in the decider's
 * state. The read model only says where the entries are: each of them is read from the log, so that no edited row decides about money.
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
    decide: (found: readonly FoundEntry[], checkedToRevision: bigint) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const last = await this.eventStore.lastEvent(walletStreamOf(partnerId));
        if (last && !(await this.listener.waitFor(last.position, undefined, [walletEntryProjection.name])))
          throw new WalletRejection('credit_history_moved');
        return await decide(await this.find(partnerId, search, last), last?.revision ?? NO_EVENTS);
      } catch (error) {
        if (!(error instanceof Rejection && error.code === 'credit_history_moved') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private async find(partnerId: string, search: Search, last: StoredEvent | undefined): Promise<FoundEntry[]> {
    const entries = await searchEntries(this.pool, partnerId, search, last?.position ?? -1n);
    if (!entries) throw new WalletRejection('credit_history_moved');
    // The read model may have gone on meanwhile. Later entries are in the decider's state, and would count twice.
    const searched = entries.filter(({ revision }) => BigInt(revision) <= (last?.revision ?? NO_EVENTS));
    return await Promise.all(searched.map((row) => this.asRecorded(partnerId, row)));
  }

  /** Returns what the log says of the entry. @throws RowForged if the row says something else */
  private async asRecorded(partnerId: string, row: WalletEntryRow): Promise<FoundEntry> {
    const stream = walletStreamOf(partnerId);
    const stored = await this.eventStore.eventIn(stream, BigInt(row.revision));
    const [event] = stored ? await this.events.decode([stored]) : [];
    const recorded = event && walletEntryProjection.handler(event.type)?.apply(null, event, {}, [null]);
    const genuine = recorded && foundEntry(recorded as WalletEntryRow);
    if (!genuine || !isDeepStrictEqual(foundEntry(row), genuine)) {
      this.macs.note(walletEntryProjection.table, row);
      throw new RowForged(walletEntryProjection.name);
    }
    return genuine;
  }
}

/** Returns the entry with its texts as PostgreSQL stores them. */
function foundEntry(row: WalletEntryRow): FoundEntry {
  const found = FOUND.map((name) => [name, name === 'breakdown_kobo' ? breakdownOf(row) : row[name]]);
  return JSON.parse(storableJson(Object.fromEntries(found))) as FoundEntry;
}
