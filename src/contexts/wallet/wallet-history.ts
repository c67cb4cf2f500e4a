import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { breakdownOf, type FeesOfEntry } from '../../../projections/wallet-entry/fees-of-entry.js';
import { Rejection } from '../../platform/event-sourcing/decider.js';
import { EventStore, NO_EVENTS } from '../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ReadModelListener } from '../../platform/projecting/read-model-listener.js';
import { type CreditKind, walletStreamOf, type WalletEvent } from './domain/events.js';
import { WalletRejection } from './domain/rejections.js';

/** An entry as the search returns it. Amounts are changes of the balance in integer kobo. */
export interface FoundEntry {
  readonly type: WalletEvent['type'];
  readonly revision: number;
  readonly amount_kobo: number;
  readonly reference: string | null;
  readonly kind: CreditKind | null;
  readonly credit_reference: string | null;
  readonly rupa_id: string | null;
  readonly breakdown_kobo: Readonly<Record<string, number>> | null;
}

/** Selects entries by their references, or by the credit that they reverse, or by their lookup. */
export interface Search {
  readonly references?: readonly string[];
  readonly creditReference?: string;
  readonly lookupId?: string;
}

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
        if (last && !(await this.listener.waitFor(last.position))) throw new WalletRejection('credit_history_moved');
        return await decide(await this.find(partnerId, search, last?.position ?? -1n), last?.revision ?? NO_EVENTS);
      } catch (error) {
        if (!(error instanceof Rejection && error.code === 'credit_history_moved') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * One statement reads the rows and the checkpoint from one snapshot; the checkpoint is checked here because `wallet_entry` may be faulted
   * while the other read models have caught up.
   */
  private async find(partnerId: string, { references, creditReference, lookupId }: Search, position: bigint): Promise<FoundEntry[]> {
    const { rows } = await this.pool.query<FoundEntry & FeesOfEntry & { caught_up: boolean; partner_id: string | null }>(
      `select coalesce(c.position >= $2, $2 < 0) as caught_up, e.* from ops.checkpoint c
       left join read.wallet_entry e on e.partner_id = $1
         and (e.reference = any($3::text[]) or e.credit_reference = $4 or e.lookup_id = $5)
       where c.projection = 'wallet_entry' order by e.revision`,
      [partnerId, position.toString(), references ?? [], creditReference ?? null, lookupId ?? null],
    );
    if (!rows[0]?.caught_up) throw new WalletRejection('credit_history_moved');
    return rows.filter(({ partner_id }) => partner_id !== null).map((row) => ({ ...row, breakdown_kobo: breakdownOf(row) }));
  }
}
