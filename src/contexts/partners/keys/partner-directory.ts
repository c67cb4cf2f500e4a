import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { holderOf } from '../../../../projections/api-key/api-key.reader.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { refuseIfSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { MANDATORY_SECTIONS } from '../domain/partner.js';
import { DirectoryCache } from '../../../platform/projecting/in-memory/directory-cache.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { type ApiKeyHolder, ApiKeyHolders } from '../../../http/authenticating/partner-authentication.js';
import { hashApiKey, isWellFormed } from './api-key-material.js';
import { ApiKeyUses } from './api-key-uses.js';

const MAX_CACHED_KEYS = 10_000;

/** Finds the holder of an API key. Holders are cached until the projector announces that partners or keys have changed. */
@Injectable()
export class PartnerDirectory extends ApiKeyHolders {
  private readonly cache: DirectoryCache<ApiKeyHolder>;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    listener: ReadModelListener,
    private readonly uses: ApiKeyUses,
  ) {
    super();
    this.cache = new DirectoryCache(listener, MAX_CACHED_KEYS);
  }

  /** Finds the holder of a key. @throws EventSetAside if the key or its partner cannot be told. Unknown keys are not cached, so that made-up keys cannot fill the cache. */
  override async holderOf(key: string): Promise<ApiKeyHolder> {
    if (!isWellFormed(key)) return { kind: 'malformed' };
    const keyHash = hashApiKey(key);
    const holder = await this.cache.get(
      keyHash,
      () => this.read(keyHash),
      ({ kind }) => kind !== 'unknown',
    );
    if (holder.kind === 'partner') this.uses.note(holder.partner.key_id);
    if (holder.kind === 'unlinked') this.uses.note(holder.key_id);
    return holder;
  }

  private async read(keyHash: string): Promise<ApiKeyHolder> {
    const row = await holderOf(this.pool, keyHash);
    if (!row || row.deactivated) return { kind: 'unknown' };
    refuseIfSetAside(row.set_aside);
    if (row.partner_id === null) return { kind: 'unlinked', key_id: row.key_id };
    const { optional_sections, deactivated, set_aside, ...partner } = row;
    const allowed_sections = [...new Set([...MANDATORY_SECTIONS[row.account_type], ...optional_sections])];
    return { kind: 'partner', partner: { ...partner, allowed_sections } };
  }
}
