import { Inject, Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { consentRosterProjection } from '../../../projections/consent-roster/consent-roster.projection.js';
import { walletEntryProjection } from '../../../projections/wallet-entry/wallet-entry.projection.js';
import { ROSTER_LIMITS, type RosterLimits, rosterBefore } from '../../../projections/consent-roster/consent-roster.reader.js';
import { Cursors, type Page } from '../../http/validating/paging.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { walletStreamOf } from '../wallet/domain/events.js';
import { type RosterEntry } from './consents.dto.js';

const MAX_REVISION = Number.MAX_SAFE_INTEGER;

/** The position before which the page begins, and the wallet revision of the first page. Neither moves when a farmer is looked up. */
const CURSORS = new Cursors('consents', 'integer', 'integer');

/**
 * Returns a page of the roster, most recently accessed first. The first page shows every lookup that the partner has received a response to.
 * The pages after it list the other consents of that moment, in the order of that moment: a farmer who is looked up while a partner pages
 * keeps its place, and appears neither twice nor never.
 * @throws ValidationFailed if the cursor is malformed
 */
export class GetRoster extends Query<Page<RosterEntry>> {
  constructor(
    readonly partnerId: string,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

/** The bounds of the work of a page, which tests lower. */
@Injectable()
export class RosterBounds implements RosterLimits {
  readonly window: number = ROSTER_LIMITS.window;
  readonly windows: number = ROSTER_LIMITS.windows;
  readonly fewConsents: number = ROSTER_LIMITS.fewConsents;
}

@QueryHandler(GetRoster)
export class GetRosterHandler implements IQueryHandler<GetRoster> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly limits: RosterBounds = new RosterBounds(),
  ) {}

  async execute({ partnerId, limit, cursor }: GetRoster): Promise<Page<RosterEntry>> {
    const [before = MAX_REVISION, asOf = MAX_REVISION] = CURSORS.position(cursor) ?? [];
    await this.readModels.waitForStream(walletStreamOf(partnerId), [consentRosterProjection, walletEntryProjection]);
    const { rows, newest = MAX_REVISION, searchedTo } = await rosterBefore(this.pool, partnerId, before, asOf, limit + 1, this.limits);
    const first = cursor === undefined ? newest : asOf;
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ position }) => [position, first]);
    const further = rows.length > limit || searchedTo === null ? next_cursor : CURSORS.at([searchedTo, first]);
    return { items: items.map(({ position: _, ...entry }) => entry), next_cursor: further };
  }
}
