import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import {
  type LookupOfFarmer,
  type LookupPosition,
  lookupsOfFarmer,
  lookupsOfRequest,
} from '../../../../projections/wallet-entry/charged-lookups.reader.js';
import { toNaira } from '../../../kernel/money.js';
import { Cursors, endOfDay, type Page, search, startOfDay } from '../../../http/validating/paging.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { MAX_LIST } from '../looking-up/lookup.dto.js';
import { ExplainLookup, ExplainLookupHandler, type LookupExplanation } from '../explaining/explain-lookup.query.js';

/** Explains the lookups that were charged for a request, which have its id in common. There are none for a request that charged nothing. */
export class ExplainRequest extends Query<readonly LookupExplanation[]> {
  constructor(readonly requestId: string) {
    super();
  }
}

/** Bounds of a time window in ISO 8601, both included; a date is its beginning, or its end (UTC). */
interface TimeWindow {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Selects lookups of a farmer by the partner, the purpose, and the charge in NGN. */
export interface LookupsFilter extends TimeWindow {
  readonly partner_id?: string | undefined;
  readonly source?: string | undefined;
  readonly min_amount?: number | undefined;
  readonly max_amount?: number | undefined;
}

/** Explains the lookups of a farmer that were charged in a time window, newest first. @throws ValidationFailed if the cursor is malformed */
export class ExplainLookupsOfFarmer extends Query<Page<LookupExplanation>> {
  constructor(
    readonly rupaId: string,
    readonly filter: LookupsFilter,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

/** As many as a call has. A partner may choose its request ids, and send one of them again and again. */
const LOOKUPS_OF_REQUEST = MAX_LIST;
const CURSORS = new Cursors('lookups-of-farmer', 'time', 'text', 'integer');

@QueryHandler(ExplainRequest)
export class ExplainRequestHandler implements IQueryHandler<ExplainRequest> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly lookups: ExplainLookupHandler,
  ) {}

  async execute({ requestId }: ExplainRequest): Promise<readonly LookupExplanation[]> {
    await this.readModels.waitForLog([walletEntryProjection]);
    return await explained(this.lookups, await lookupsOfRequest(this.pool, requestId, LOOKUPS_OF_REQUEST));
  }
}

@QueryHandler(ExplainLookupsOfFarmer)
export class ExplainLookupsOfFarmerHandler implements IQueryHandler<ExplainLookupsOfFarmer> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly lookups: ExplainLookupHandler,
  ) {}

  async execute({ rupaId, filter: { from, to, ...filter }, limit, cursor }: ExplainLookupsOfFarmer): Promise<Page<LookupExplanation>> {
    const begin = CURSORS.position(cursor);
    await this.readModels.waitForLog([walletEntryProjection]);
    const window = { from: startOfDay(from), to: endOfDay(to) };
    const read = async (after: LookupPosition | undefined, count: number): Promise<readonly LookupOfFarmer[]> =>
      await lookupsOfFarmer(this.pool, rupaId, window, after, count);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const { rows, searchedTo } = isFiltered
      ? await search(read, (row) => isWanted(row, filter), positionOf, begin, limit + 1)
      : { rows: await read(begin, limit + 1), searchedTo: undefined };
    const { items, next_cursor } = CURSORS.page(rows, limit, positionOf);
    return { items: await explained(this.lookups, items), next_cursor: next_cursor ?? (searchedTo ? CURSORS.at(searchedTo) : null) };
  }
}

function positionOf({ recorded_at, partner_id, revision }: LookupOfFarmer): LookupPosition {
  return [recorded_at, partner_id, revision];
}

function isWanted(row: LookupOfFarmer, { partner_id, source, min_amount = 0, max_amount = Infinity }: LookupsFilter): boolean {
  const charged = toNaira(-row.amount_kobo);
  if (partner_id !== undefined && row.partner_id !== partner_id) return false;
  return (source === undefined || row.source === source) && charged >= min_amount && charged <= max_amount;
}

async function explained(
  lookups: ExplainLookupHandler,
  rows: readonly { readonly lookup_id: string }[],
): Promise<readonly LookupExplanation[]> {
  const found = await Promise.all(rows.map(({ lookup_id }) => lookups.execute(new ExplainLookup(lookup_id))));
  return found.flatMap((each) => (each ? [each] : []));
}
