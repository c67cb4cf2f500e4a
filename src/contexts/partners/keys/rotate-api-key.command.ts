import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { workingKeys } from '../../../../projections/api-key/api-key.reader.js';
import { invalidKey } from '../../../http/authenticating/partner-authentication.js';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Clock } from '../../../kernel/clock.js';
import { keyOf } from '../../../kernel/keyed-id.js';
import { AdvisoryLocks } from '../../../platform/database/instances/locks.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { API_KEY_STREAMS, type ApiKeyCommand, ApiKeyRejection, type ApiKeyState, hasEnded } from '../domain/api-key.js';
import { generateApiKey, hashApiKey, shownOf } from './api-key-material.js';
import { type RotateApiKeyDto } from './api-keys.dto.js';
import { KeyEnds } from './key-ends.js';
import { type RotatedApiKey } from './own-keys.dto.js';
import { RotatedKeys } from './rotated-keys.js';

/** Keys of a partner that come from rotation and have not ended (decisions, "Keys"). */
const MAX_ROTATED = 2;
const DEFAULT_HOURS = 24;

/**
 * Issues a key for the partner of the calling key, which ends after some hours, and completes once both are in force on every instance.
 * @throws ApiError `api_key_invalid` if the calling key has ended; Rejection `too_many_rotated_keys`, `rotated_key_gone`; NotYetInForce; RowForged
 */
export class RotateApiKey extends Command<RotatedApiKey> {
  constructor(
    readonly caller: Pick<PartnerContext, 'partner_id' | 'key_id'>,
    readonly rotation: RotateApiKeyDto,
    /** A UUID, the new key's id. A rotation that runs again with the same id, after it was interrupted, continues with the same key. */
    readonly operationId: string,
  ) {
    super();
  }
}

@CommandHandler(RotateApiKey)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKey> {
  private readonly locks: AdvisoryLocks;

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
    private readonly ends: KeyEnds,
    private readonly rotated: RotatedKeys,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {
    this.locks = new AdvisoryLocks(pool);
  }

  async execute({ caller, rotation, operationId: key_id }: RotateApiKey): Promise<RotatedApiKey> {
    // The lock serializes a partner's rotations. Without it, concurrent ones could exceed the limit.
    return await this.locks.withLock(`keys ${caller.partner_id}`, async () => {
      const in_hours = rotation.expire_current_in_hours ?? DEFAULT_HOURS;
      const current = await this.stateOf(caller.key_id);
      // The new key is in force before the old one ends, so an interrupted rotation leaves the partner a key that works.
      const api_key = await this.issue(caller, rotation, key_id, { current, endsAtOnce: in_hours === 0 });
      const current_expires_at = await this.end(caller, current, in_hours);
      return { key_id, api_key, current_expires_at };
    });
  }

  private async issue(
    { partner_id, key_id: rotated_from }: RotateApiKey['caller'],
    { label = null }: RotateApiKeyDto,
    key_id: string,
    { current, endsAtOnce }: { readonly current: ApiKeyState; readonly endsAtOnce: boolean },
  ): Promise<string> {
    const isRepeated = (await this.stateOf(key_id)).status !== 'unissued';
    if (!isRepeated && hasEnded(current, this.clock.iso())) throw invalidKey();
    if (!isRepeated) await this.refuseBeyondLimit(partner_id, endsAtOnce ? rotated_from : undefined);
    const api_key = isRepeated ? await this.rotated.find(key_id) : await this.newKey(partner_id, key_id);
    if (api_key === undefined) throw new ApiKeyRejection('rotated_key_gone');
    const key = { key_hash: hashApiKey(api_key), ...shownOf(api_key), label, partner_id, rotated_from };
    const command: ApiKeyCommand = { kind: 'issue', ...key, ...this.context(key_id, rotated_from) };
    const issued = await this.streams.of(API_KEY_STREAMS).execute(key_id, command);
    await this.directory.waitFor(issued, {
      stream: `apikey-${key_id}`,
      readModel: 'api_key',
      next: 'Your key goes on to work. Send the same request again, with the same Idempotency-Key if it had one.',
    });
    return api_key;
  }

  /** Only a rotation with an Idempotency-Key can run again. */
  private async newKey(partnerId: string, keyId: string): Promise<string> {
    const key = generateApiKey(partnerId);
    return keyOf(keyId) === undefined ? key : await this.rotated.keep(keyId, key);
  }

  /** @throws ApiKeyRejection if another key from rotation would be one too many once the replaced key has ended */
  private async refuseBeyondLimit(partnerId: string, replaced: string | undefined): Promise<void> {
    const keys = await workingKeys(this.pool, this.macs, partnerId, this.clock.iso());
    const others = keys.filter(({ key_id, rotated_from }) => rotated_from !== null && key_id !== replaced);
    if (others.length >= MAX_ROTATED) throw new ApiKeyRejection('too_many_rotated_keys');
  }

  /** Returns when the calling key ends. It may have ended already when an interrupted rotation runs again. */
  private async end({ key_id }: RotateApiKey['caller'], before: ApiKeyState, in_hours: number): Promise<string> {
    const context = this.context(key_id, key_id);
    const ended = hasEnded(before, context.at) ? before : await this.expire(key_id, { kind: 'expire', in_hours, ...context });
    // An administrator has deactivated the calling key meanwhile.
    if (ended.status === 'unissued' || ended.expires_at === null) return context.at;
    const { expires_at } = ended;
    await this.directory.announce(() => this.ends.add(key_id, expires_at, context.at));
    return expires_at;
  }

  private async expire(keyId: string, command: ApiKeyCommand): Promise<ApiKeyState> {
    return (await this.streams.of(API_KEY_STREAMS).execute(keyId, command)).state;
  }

  private async stateOf(keyId: string): Promise<ApiKeyState> {
    return (await this.streams.of(API_KEY_STREAMS).load(keyId)).state;
  }

  private context(key_id: string, actor: string): { key_id: string; at: string; actor: string } {
    return { key_id, at: this.clock.iso(), actor: `key:${actor}` };
  }
}
