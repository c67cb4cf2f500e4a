import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { workingKeys } from '../../../../projections/api-key/api-key.reader.js';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Clock } from '../../../kernel/clock.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { routedPrefixOf } from './api-key-material.js';
import { type OwnApiKey } from './own-keys.dto.js';

/** An account has a few keys. The bound keeps the response small if an administrator has issued very many. */
const MAX_LISTED = 200;

/** Lists the keys of the caller's partner that work, the one issued last first. @throws RowForged */
export class ListOwnKeys extends Query<readonly OwnApiKey[]> {
  constructor(readonly caller: Pick<PartnerContext, 'partner_id' | 'key_id'>) {
    super();
  }
}

@QueryHandler(ListOwnKeys)
export class ListOwnKeysHandler implements IQueryHandler<ListOwnKeys> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly macs: RowMacs,
  ) {}

  async execute({ caller: { partner_id, key_id: current } }: ListOwnKeys): Promise<readonly OwnApiKey[]> {
    const keys = await workingKeys(this.pool, this.macs, partner_id, this.clock.iso(), MAX_LISTED);
    return keys.map(({ key_id, label, prefix, last_four, created_at, last_used_at, expires_at }) => {
      const shown = { prefix: prefix ?? routedPrefixOf(partner_id), last_four };
      return { key_id, label, ...shown, created_at, last_used_at, expires_at, current: key_id === current };
    });
  }
}
