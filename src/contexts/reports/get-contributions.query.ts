import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { type ContributionFilter, contributionsOf } from '../../../projections/contribution/contribution.reader.js';
import { contributionProjection } from '../../../projections/contribution/contribution.projection.js';
import { type PartnerContext } from '../../http/authenticating/partner-context.js';
import { Cursors } from '../../http/validating/paging.js';
import { toNaira } from '../../kernel/money.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ReadYourWrites } from '../../platform/projecting/in-memory/read-your-writes.js';
import { type OwnContributions } from './own-contributions.dto.js';

const CURSORS = new Cursors('contributions', 'time', 'integer');

/**
 * Lists a partner's own contributions, the one reported last first; an update does not change the order.
 * @throws ValidationFailed if the cursor is malformed
 */
export class GetContributions extends Query<OwnContributions> {
  constructor(
    readonly partner: Pick<PartnerContext, 'partner_id' | 'test_run'>,
    readonly limit: number,
    readonly filter: ContributionFilter & { readonly cursor?: string | undefined },
  ) {
    super();
  }
}

@QueryHandler(GetContributions)
export class GetContributionsHandler implements IQueryHandler<GetContributions> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly writes: ReadYourWrites,
  ) {}

  async execute({ partner, limit, filter: { cursor, ...filter } }: GetContributions): Promise<OwnContributions> {
    const after = CURSORS.position(cursor);
    await this.writes.waitFor(`partner ${partner.partner_id}`, [contributionProjection.name]);
    const rows = await contributionsOf(this.pool, partner, filter, after, limit + 1);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ recorded_at, contribution_id }) => [recorded_at, contribution_id]);
    return {
      contributions: items.map(({ amount_minor, ...row }) => ({ ...row, amount: amount_minor === null ? null : toNaira(amount_minor) })),
      next_cursor,
    };
  }
}
