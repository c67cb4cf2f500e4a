import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { holderOf, type KeyHolder } from '../../../../projections/api-key/api-key.reader.js';
import { POOL, LOGGER } from '../../../platform/injection-tokens.js';
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
import { type Logger } from 'pino';

const HOUR_MS = 3_600_000;
/** Milliseconds in which the first uses of several keys are collected, so that they are written in one statement. */
const COLLECT_MS = 500;
const RETRY_MS = 60_000;

/**
 * Records in which hour each key was last used. A call costs a look into a map: only the first use of a key in an hour is written, in the
 * background, so at most once an hour for each key and instance. A kill loses the uses of the last seconds.
 */
@Injectable()
export class ApiKeyUses implements OnApplicationShutdown {
  /** The keys that were used in the hour `hour`, counted from 1970. */
  private used = new Set<string>();
  private hour = 0;
  /** The hour of the last use by key, not written yet. */
  private unwritten = new Map<string, number>();
  private cancelTimer: (() => void) | undefined;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  note(keyId: string): void {
    const hour = Math.floor(this.clock.now().getTime() / HOUR_MS);
    if (hour !== this.hour) [this.used, this.hour] = [new Set(), hour];
    if (this.used.has(keyId)) return;
    this.used.add(keyId);
    this.unwritten.set(keyId, hour);
    this.writeLater(COLLECT_MS);
  }

  /** Writes what is not written yet. After a failure, which is logged, the uses are written a minute later. */
  async write(): Promise<void> {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const uses = this.unwritten;
    if (uses.size === 0) return;
    this.unwritten = new Map();
    try {
      await this.pool.query(
        `insert into ops.api_key_use (key_id, last_used_at) select * from unnest($1::text[], $2::timestamptz[])
         on conflict (key_id) do update set last_used_at = greatest(ops.api_key_use.last_used_at, excluded.last_used_at)`,
        [[...uses.keys()], [...uses.values()].map((hour) => new Date(hour * HOUR_MS).toISOString())],
      );
    } catch (error) {
      for (const [keyId, hour] of uses) if (!this.unwritten.has(keyId)) this.unwritten.set(keyId, hour);
      this.logger.warn({ reason: (error as Error).message }, 'the last use of API keys could not be written');
      this.writeLater(RETRY_MS);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.write();
    this.cancelTimer?.();
  }

  private writeLater(ms: number): void {
    this.cancelTimer ??= this.clock.after(ms, () => {
      this.cancelTimer = undefined;
      void this.write();
    });
  }
}

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
