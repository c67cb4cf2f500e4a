import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { openChargeProjection } from '../../../../projections/open-charge/open-charge.projection.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { chargedLookups, type DescribedLookup, lookupOf } from '../../../../projections/wallet-entry/charged-lookups.reader.js';
import { lastEntryUpTo } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { breakdownOf } from '../../../../projections/wallet-entry/fees-of-entry.js';
import { Cursors } from '../../../http/validating/paging.js';
import { type Period } from '../../../http/validating/period-filter.js';
import { toNaira } from '../../../kernel/money.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { walletStreamOf } from '../../wallet/domain/events.js';
import { WalletRejection } from '../../wallet/public.js';
import { type ChargedLookup, type ChargedLookups } from './lookups.dto.js';

const CURSORS = new Cursors('lookups', 'integer');

export interface LookupsFilter extends Period {
  readonly cursor?: string | undefined;
  readonly requestId?: string | undefined;
  readonly rupaId?: string | undefined;
}

/**
 * Lists the lookups that a partner was charged for, newest first.
 * @throws ValidationFailed if the cursor is malformed
 */
export class GetLookups extends Query<ChargedLookups> {
  constructor(
    readonly partnerId: string,
    readonly limit: number,
    readonly filter: LookupsFilter,
  ) {
    super();
  }
}

/** Returns a lookup that a partner was charged for. @throws Rejection `lookup_unknown`, or ReadModelBehind */
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

  async execute({ partnerId, limit, filter: { cursor, requestId, rupaId, from, to } }: GetLookups): Promise<ChargedLookups> {
    const [earlier = Number.MAX_SAFE_INTEGER] = CURSORS.position(cursor) ?? [];
    await this.readModels.waitForStream(walletStreamOf(partnerId), [walletEntryProjection, openChargeProjection]);
    // The times of a wallet's entries never decrease, so a period is a range of revisions.
    const last = async (time: string): Promise<number> => (await lastEntryUpTo(this.pool, partnerId, '<', time))?.revision ?? -1;
    const after = from === undefined ? undefined : await last(from);
    const before = to === undefined ? earlier : Math.min(earlier, (await last(to)) + 1);
    const { rows, searchedTo } = await chargedLookups(this.pool, partnerId, { requestId, rupaId, after, before }, limit + 1);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ revision }) => [revision]);
    return { lookups: items.map(lookupView), next_cursor: searchedTo === null ? next_cursor : CURSORS.at([searchedTo]) };
  }
}

@QueryHandler(GetLookup)
export class GetLookupHandler implements IQueryHandler<GetLookup> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, lookupId }: GetLookup): Promise<ChargedLookup> {
    await this.readModels.waitForStream(walletStreamOf(partnerId), [walletEntryProjection, openChargeProjection]);
    const lookup = await lookupOf(this.pool, partnerId, lookupId);
    if (!lookup) throw new WalletRejection('lookup_unknown');
    return lookupView(lookup);
  }
}

function lookupView({ revision: _revision, amount_kobo, recorded_at, ...row }: DescribedLookup): ChargedLookup {
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

const SECTION_FEE = 'svc_fee.';

/** Returns the sections that a charge was made for. */
export function chargedSections(breakdown_kobo: Readonly<Record<string, number>>): string[] {
  return Object.keys(breakdown_kobo).flatMap((fee) => (fee.startsWith(SECTION_FEE) ? [fee.slice(SECTION_FEE.length)] : []));
}
