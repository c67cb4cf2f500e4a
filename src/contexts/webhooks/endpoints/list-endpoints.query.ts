import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { type EndpointFilter, endpointsBefore } from '../../../../projections/webhook-endpoint/webhook-endpoint.reader.js';
import { Cursors } from '../../../http/validating/paging.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { type WatchedEndpoints } from './endpoint-health.dto.js';

const CURSORS = new Cursors('webhook-endpoints', 'integer');

/**
 * Lists the webhook endpoints of a partner or of all, the one registered last first, with the state of their deliveries.
 * @throws ValidationFailed if the cursor is malformed
 */
export class ListEndpoints extends Query<WatchedEndpoints> {
  constructor(
    readonly filter: EndpointFilter,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

@QueryHandler(ListEndpoints)
export class ListEndpointsHandler implements IQueryHandler<ListEndpoints> {
  constructor(@Inject(FREE_CALLS_POOL) private readonly pool: Pool) {}

  async execute({ filter, limit, cursor }: ListEndpoints): Promise<WatchedEndpoints> {
    const [before] = CURSORS.position(cursor) ?? [];
    const rows = await endpointsBefore(this.pool, filter, before, limit + 1);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ id }) => [id]);
    return { endpoints: items, next_cursor };
  }
}
