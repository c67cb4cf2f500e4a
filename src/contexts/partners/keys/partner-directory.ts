import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { holderOf, type KeyHolder } from '../../../../projections/api-key/api-key.reader.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { NewestRows, type RowOfStream } from '../../../platform/projecting/newest-rows.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { refuseIfSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { apiKeyProjection } from '../../../../projections/api-key/api-key.projection.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { MANDATORY_SECTIONS } from '../domain/partner.js';
import { DirectoryCache } from '../../../platform/projecting/in-memory/directory-cache.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { type ApiKeyHolder, ApiKeyHolders } from '../../../http/authenticating/partner-authentication.js';
import { hashApiKey, isWellFormed } from './api-key-material.js';
import { ApiKeyUses } from './api-key-uses.js';

const MAX_CACHED_KEYS = 10_000;

function rowsOf(holder: KeyHolder | undefined): readonly RowOfStream[] {
  if (!holder || holder.deactivated || holder.set_aside !== null) return [];
  const { key, partner } = holder;
  const keyRow = { table: apiKeyProjection.table, stream: `apikey-${key.key_id}`, row: key };
  return partner ? [keyRow, { table: partnerProjection.table, stream: `partner-${partner.partner_id}`, row: partner }] : [keyRow];
}

/** Finds the holder of an API key. Holders are cached until the projector announces that partners or keys have changed. */
@Injectable()
export class PartnerDirectory extends ApiKeyHolders {
  private readonly cache: DirectoryCache<ApiKeyHolder>;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    private readonly newest: NewestRows,
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
    const holder = await this.newest.read(() => holderOf(this.pool, this.macs, keyHash), rowsOf);
    if (!holder || holder.deactivated) return { kind: 'unknown' };
    refuseIfSetAside(holder.set_aside);
    const { key_id } = holder.key;
    if (!holder.partner) return { kind: 'unlinked', key_id };
    const { partner_id, company_name, account_type, mode, status, optional_sections, ip_allow_list } = holder.partner;
    const allowed_sections = [...new Set([...MANDATORY_SECTIONS[account_type], ...optional_sections])];
    return { kind: 'partner', partner: { key_id, partner_id, company_name, account_type, mode, status, ip_allow_list, allowed_sections } };
  }
}
