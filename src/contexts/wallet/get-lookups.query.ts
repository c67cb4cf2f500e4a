import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { breakdownOf, type FeesOfEntry } from '../../../projections/wallet-entry/fees-of-entry.js';
import { Cursors } from '../../http/paging.js';
import { toNaira } from '../../kernel/money.js';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { chargedSections } from './charged-sections.js';
import { walletStreamOf } from './domain/events.js';
import { WalletRejection } from './domain/rejections.js';
import { type ChargedLookup, type ChargedLookups, type Outcome } from './lookups.dto.js';

const CURSORS = new Cursors('lookups', 'integer');

interface Row extends FeesOfEntry {
  readonly revision: number;
  readonly lookup_id: string;
  readonly request_id: string;
  readonly rupa_id: string;
  readonly source: string;
  readonly amount_kobo: number;
  readonly price_book_version: number;
  readonly recorded_at: string;
  readonly outcome: Outcome;
}

/**
 * Describes the debits that `debits` selects. A charge that is not open has the outcome of the entry that gave it back; without one it is
 * settled. That entry is found by its lookup: the expressions keep PostgreSQL from looking for it through the whole wallet.
 */
const described = (
  debits: string,
): string => `select d.revision, d.lookup_id, d.request_id, d.rupa_id, d.source, d.amount_kobo, d.breakdown_kobo, d.fees,
    d.price_book_version, d.recorded_at, case when (select true from read.open_charge o where o.lookup_id = d.lookup_id limit 1) then 'open' else coalesce((
      select case e.type when 'RefundIssued' then 'refunded' else 'compensated' end from read.wallet_entry e
      where e.lookup_id = d.lookup_id and e.partner_id || '' = d.partner_id and e.type in ('RefundIssued', 'LookupCompensated')
      order by e.revision + 0 desc limit 1), 'settled') end as outcome
  from (${debits}) d order by d.revision desc`;

/**
 * The primary key returns this order, so that PostgreSQL reads no more of a wallet than the page needs. It takes a comparison of `type` for rare
 * while it has no statistics, and would then sort the whole wallet; of the `case` it expects every second row.
 */
const NEWEST = described(`select * from read.wallet_entry
  where partner_id = $1 and revision < coalesce($2::bigint, ${Number.MAX_SAFE_INTEGER}) and case when type = 'WalletDebited' then true end
  order by revision desc limit $3`);

const OF_REQUEST = described(`select * from read.wallet_entry
  where request_id = $4 and partner_id || '' = $1 and revision < coalesce($2::bigint, ${Number.MAX_SAFE_INTEGER}) and type = 'WalletDebited'
  order by revision + 0 desc limit $3`);

const OF_LOOKUP = described(`select * from read.wallet_entry
  where lookup_id = $2 and partner_id || '' = $1 and type = 'WalletDebited' order by revision + 0 desc limit 1`);

/**
 * Lists the lookups that a partner was charged for, newest first.
 * @throws ValidationFailed if the cursor is malformed
 */
export class GetLookups extends Query<ChargedLookups> {
  constructor(
    readonly partnerId: string,
    readonly limit: number,
    readonly filter: { readonly cursor?: string | undefined; readonly requestId?: string | undefined },
  ) {
    super();
  }
}

/** Returns a lookup that a partner was charged for. @throws Rejection `lookup_unknown`, or StoreUnavailable if the read model is behind */
export class GetLookup extends Query<ChargedLookup> {
  constructor(
    readonly partnerId: string,
    readonly lookupId: string,
  ) {
    super();
  }
}

@QueryHandler(GetLookups)
export class GetLookupsHandler implements IQueryHandler<GetLookups> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, limit, filter: { cursor, requestId } }: GetLookups): Promise<ChargedLookups> {
    const [before] = CURSORS.position(cursor) ?? [];
    await this.readModels.waitForStream(walletStreamOf(partnerId));
    const values = [partnerId, before ?? null, limit + 1];
    const { rows } = await (requestId === undefined
      ? this.pool.query<Row>(NEWEST, values)
      : this.pool.query<Row>(OF_REQUEST, [...values, requestId]));
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ revision }) => [revision]);
    return { lookups: items.map(lookupView), next_cursor };
  }
}

@QueryHandler(GetLookup)
export class GetLookupHandler implements IQueryHandler<GetLookup> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, lookupId }: GetLookup): Promise<ChargedLookup> {
    const isCaughtUp = await this.readModels.waitForStream(walletStreamOf(partnerId));
    const { rows } = await this.pool.query<Row>(OF_LOOKUP, [partnerId, lookupId]);
    if (rows[0]) return lookupView(rows[0]);
    // The lookup may be among the entries that the read model does not show yet.
    throw isCaughtUp ? new WalletRejection('lookup_unknown') : new StoreUnavailable('The wallet’s entries are behind the event log.');
  }
}

function lookupView({ revision: _revision, amount_kobo, recorded_at, ...row }: Row): ChargedLookup {
  const breakdown_kobo = breakdownOf(row) ?? {};
  return {
    lookup_id: row.lookup_id,
    request_id: row.request_id,
    rupa_id: row.rupa_id,
    source: row.source,
    sections: chargedSections(breakdown_kobo),
    amount_charged: toNaira(-amount_kobo),
    breakdown: Object.fromEntries(Object.entries(breakdown_kobo).map(([fee, kobo]) => [fee, toNaira(kobo)])),
    price_book_version: row.price_book_version,
    queried_at: recorded_at,
    outcome: row.outcome,
  };
}
