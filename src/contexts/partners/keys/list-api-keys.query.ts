import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { type ApiKeyFilter, keysBefore } from '../../../../projections/api-key/api-key.reader.js';
import { Cursors } from '../../../http/validating/paging.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { RegisteredPartners } from '../registering/registered-partners.js';
import { type ApiKeyList } from './api-key-responses.dto.js';

const CURSORS = new Cursors('api-keys', 'time', 'text');

/**
 * Lists API keys, the one issued last first, with the hour of the last use.
 * @throws Rejection `partner_unknown`
 * @throws ValidationFailed if the cursor is malformed; RowForged
 */
export class ListApiKeys extends Query<ApiKeyList> {
  constructor(
    readonly filter: ApiKeyFilter,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

@QueryHandler(ListApiKeys)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeys> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly partners: RegisteredPartners,
    private readonly macs: RowMacs,
  ) {}

  async execute({ filter, limit, cursor }: ListApiKeys): Promise<ApiKeyList> {
    if (filter.partnerId !== undefined) await this.partners.assertExists(filter.partnerId);
    const rows = await keysBefore(this.pool, this.macs, filter, CURSORS.position(cursor), limit + 1);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ created_at, key_id }) => [created_at, key_id]);
    return { api_keys: items, next_cursor };
  }
}
