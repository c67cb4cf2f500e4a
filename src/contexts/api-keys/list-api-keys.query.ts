import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Cursors } from '../../http/paging.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { RegisteredPartners } from '../partners/public.js';
import { type ApiKeyList, type ApiKeyView } from './api-key-responses.dto.js';

const CURSORS = new Cursors('api-keys', 'time', 'text');

export interface ApiKeyFilter {
  readonly partnerId?: string | undefined;
  /** True: only keys that are linked to a partner; false: only the others. */
  readonly linked?: boolean | undefined;
}

/**
 * Lists API keys, the one issued last first, with the hour of the last use.
 * @throws Rejection `partner_unknown`
 * @throws ValidationFailed if the cursor is malformed
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
  ) {}

  async execute({ filter: { partnerId, linked }, limit, cursor }: ListApiKeys): Promise<ApiKeyList> {
    if (partnerId !== undefined) await this.partners.assertExists(partnerId);
    const [createdAt, keyId] = CURSORS.position(cursor) ?? [];
    const { rows } = await this.pool.query<ApiKeyView>(
      `select k.key_id, k.partner_id, k.label, k.created_at, u.last_used_at, coalesce(k.deactivated_at, d.deactivated_at) as deactivated_at
       from read.api_key k
       left join ops.api_key_use u on u.key_id = k.key_id
       left join ops.deactivated_key d on d.key_id = k.key_id
       where ($1::text is null or k.partner_id = $1) and ($2::boolean is null or (k.partner_id is not null) = $2)
         and ($3::timestamptz is null or (k.created_at, k.key_id) < ($3, $4))
       order by k.created_at desc, k.key_id desc limit $5`,
      [partnerId ?? null, linked ?? null, createdAt ?? null, keyId ?? null, limit + 1],
    );
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ created_at, key_id }) => [created_at, key_id]);
    return { api_keys: items, next_cursor };
  }
}
