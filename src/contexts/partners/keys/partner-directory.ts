import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { holderOf, type KeyHolder } from '../../../../projections/api-key/api-key.reader.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { Clock } from '../../../kernel/clock.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { keyHashOf, operationOf } from '../../../platform/stored-responses/stored-response-table.js';
import { NewestRows, type RowOfStream } from '../../../platform/projecting/newest-rows.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { refuseIfSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { apiKeyProjection } from '../../../../projections/api-key/api-key.projection.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { API_KEY_STREAMS } from '../domain/api-key.js';
import { MANDATORY_SECTIONS } from '../domain/partner.js';
import { DirectoryCache } from '../../../platform/projecting/in-memory/directory-lease.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { type ApiKeyHolder, ApiKeyHolders, type EndedKey } from '../../../http/authenticating/partner-authentication.js';
import { hashApiKey, isWellFormed } from './api-key-material.js';
import { ApiKeyUses } from './api-key-uses.js';

const MAX_CACHED_KEYS = 10_000;

/** How long a key that has ended gets the response to the rotation that ended it (decisions, "Keys"). */
const REPEATED_MS = 10 * 60 * 1_000;

/** The holder of a key, and when the key ends: milliseconds since 1970, Infinity if it does not. */
interface KnownHolder {
  readonly holder: ApiKeyHolder;
  readonly ends_at: number;
  readonly ended_at_once: boolean;
}

function rowsOf(holder: KeyHolder | undefined): readonly RowOfStream[] {
  if (!holder || holder.deactivated || holder.set_aside !== null) return [];
  const { key, partner, ended_at_once } = holder;
  // The end of a key holds whether or not a projector has applied it.
  const keyRows = ended_at_once ? [] : [{ table: apiKeyProjection.table, stream: `apikey-${key.key_id}`, row: key }];
  return partner ? [...keyRows, { table: partnerProjection.table, stream: `partner-${partner.partner_id}`, row: partner }] : keyRows;
}

/** Finds the holder of an API key. Holders are cached until the projector announces that partners or keys have changed. */
@Injectable()
export class PartnerDirectory extends ApiKeyHolders {
  private readonly cache: DirectoryCache<KnownHolder>;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    private readonly newest: NewestRows,
    listener: ReadModelListener,
    private readonly uses: ApiKeyUses,
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {
    super();
    this.cache = new DirectoryCache(listener, MAX_CACHED_KEYS);
  }

  override hashOf(key: string): string | undefined {
    return isWellFormed(key) ? hashApiKey(key) : undefined;
  }

  /** Finds the holder of a key. @throws EventSetAside if the key or its partner cannot be told. Unknown keys are not cached, so that made-up keys cannot fill the cache. */
  override async holderOf(keyHash: string): Promise<ApiKeyHolder> {
    const { holder, ends_at, ended_at_once } = await this.cache.get(
      keyHash,
      () => this.read(keyHash),
      (known) => known.holder.kind !== 'unknown',
    );
    // A key may end while its holder is cached.
    if (ended_at_once || ends_at <= this.clock.now().getTime())
      return holder.kind === 'partner' ? { kind: 'ended', partner: holder.partner, ends_at } : { kind: 'unknown' };
    if (holder.kind === 'partner') this.uses.note(holder.partner.key_id);
    if (holder.kind === 'unlinked') this.uses.note(holder.key_id);
    return holder;
  }

  override async mayRepeat({ partner, ends_at }: EndedKey, idempotencyKey: string): Promise<boolean> {
    if (this.clock.now().getTime() > ends_at + REPEATED_MS) return false;
    const { partner_id, key_id } = partner;
    const newKey = await operationOf(this.pool, { partner_id, key_hash: keyHashOf(idempotencyKey) });
    if (newKey === undefined) return false;
    const { state } = await this.streams.of(API_KEY_STREAMS).load(newKey);
    return state.status === 'usable' && state.rotated_from === key_id;
  }

  private async read(keyHash: string): Promise<KnownHolder> {
    const found = await this.newest.read(() => holderOf(this.pool, this.macs, keyHash), rowsOf);
    if (!found || found.deactivated) return { holder: { kind: 'unknown' }, ends_at: Infinity, ended_at_once: false };
    refuseIfSetAside(found.set_aside);
    const { expires_at, ended_at_once } = found;
    return { holder: holderIn(found), ends_at: expires_at === null ? Infinity : Date.parse(expires_at), ended_at_once };
  }
}

function holderIn({ key: { key_id }, partner }: KeyHolder): ApiKeyHolder {
  if (!partner) return { kind: 'unlinked', key_id };
  const { partner_id, company_name, account_type, mode, status, optional_sections, ip_allow_list, test_run } = partner;
  const allowed_sections = [...new Set([...MANDATORY_SECTIONS[account_type], ...optional_sections])];
  const account = { partner_id, company_name, account_type, mode, status, ip_allow_list, test_run };
  return { kind: 'partner', partner: { key_id, ...account, allowed_sections } };
}
