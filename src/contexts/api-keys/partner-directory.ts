import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Section } from '../../kernel/section-names.js';
import { type PartnerContext } from '../../http/partner-context.js';
import { POOL } from '../../platform/injection-tokens.js';
import { refuseIfSetAside, setAsideIn } from '../../platform/unusable-events/unusable-table.js';
import { MANDATORY_SECTIONS } from '../partners/public.js';
import { DirectoryCache } from '../../platform/projecting/directory-cache.js';
import { ReadModelListener } from '../../platform/projecting/read-model-listener.js';
import { type ApiKeyHolder, ApiKeyHolders } from '../../http/api-key-holders.js';
import { hashApiKey, isWellFormed } from './api-key-material.js';
import { ApiKeyUses } from './api-key-uses.js';

type Row = Omit<PartnerContext, 'allowed_sections'> & {
  readonly deactivated: boolean;
  readonly set_aside: string | null;
  readonly optional_sections: readonly Section[];
};

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
    const { rows } = await this.pool.query<Row>({
      name: 'api-key-holder',
      text: `select ${setAsideIn("'apikey-' || k.key_id", "'partner-' || p.partner_id")} as set_aside, k.key_id, k.deactivated or d.key_id is not null as deactivated, p.partner_id, p.company_name, p.account_type, p.mode, p.status, p.optional_sections, p.ip_allow_list
             from read.api_key k
             left join ops.deactivated_key d on d.key_id = k.key_id
             left join read.partner p on p.partner_id = k.partner_id
             where k.key_hash = $1`,
      values: [keyHash],
    });
    const [row] = rows;
    if (!row || row.deactivated) return { kind: 'unknown' };
    refuseIfSetAside(row.set_aside);
    if ((row.partner_id as string | null) === null) return { kind: 'unlinked', key_id: row.key_id };
    const { optional_sections, deactivated, set_aside, ...partner } = row;
    const allowed_sections = [...new Set([...MANDATORY_SECTIONS[row.account_type], ...optional_sections])];
    return { kind: 'partner', partner: { ...partner, allowed_sections } };
  }
}
