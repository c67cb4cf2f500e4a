import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { breakdownOf } from '../../../../projections/wallet-entry/fees-of-entry.js';
import { walletEntryProjection, type WalletEntryRow } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { type Search, searchEntries } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { Rejection } from '../../../platform/event-sourcing/decider.js';
import { EventStore, NO_EVENTS } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { walletStreamOf } from '../domain/events.js';
import { WalletRejection } from '../domain/wallet-command.js';

/** An entry as the search returns it. Amounts are changes of the balance in integer kobo. */
export type FoundEntry = Pick<
  WalletEntryRow,
  | 'type'
  | 'revision'
  | 'amount_kobo'
  | 'reference'
  | 'kind'
  | 'credit_reference'
  | 'rupa_id'
  | 'breakdown_kobo'
  | 'vat_percent'
  | 'bank_fee_kobo'
  | 'withheld_tax_kobo'
>;

const MAX_ATTEMPTS = 5;

/**
 * Searches a whole wallet. A command's decider knows only the last entries of a long stream (docs/adr/0002), so the earlier ones are
 * searched in the read model, once it has caught up with the last entry read here. Entries appended after that one are in the decider's
 * state.
 */
@Injectable()
export class WalletHistory {
  constructor(
    private readonly eventStore: EventStore,
    private readonly listener: ReadModelListener,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
  ) {}

  /**
   * Runs `decide` with what the search found, and again with a new search while the wallet moved on in between.
   * @throws Rejection `credit_history_moved` if the wallet stayed too busy or the read model too far behind
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
    return searched.map((row) => ({ ...row, breakdown_kobo: breakdownOf(row) }));
  }
}
