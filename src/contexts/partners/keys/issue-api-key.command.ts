import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { RegisteredPartners } from '../registering/registered-partners.js';
import { generateApiKey, hashApiKey, shownOf } from './api-key-material.js';
import { type IssueApiKeyDto } from './api-keys.dto.js';
import { API_KEY_STREAMS } from '../domain/api-key.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/**
 * Issues a key and returns it. It cannot be shown again, because only its hash is stored. Raises Rejection `partner_unknown`, or
 * NotYetInForce if no instance may know the key yet.
 */
export class IssueApiKey extends Command<{ key_id: string; api_key: string }> {
  constructor(
    readonly partnerId: string | null,
    readonly key: IssueApiKeyDto,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(IssueApiKey)
export class IssueApiKeyHandler implements ICommandHandler<IssueApiKey> {
  constructor(
    private readonly streams: Streams,
    private readonly partners: RegisteredPartners,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
  ) {}

  async execute({ partnerId, key: { label = null }, actor }: IssueApiKey): Promise<{ key_id: string; api_key: string }> {
    if (partnerId !== null) await this.partners.assertExists(partnerId);
    const key_id = randomUUID();
    const api_key = generateApiKey(partnerId);
    const command = {
      kind: 'issue' as const,
      key_id,
      key_hash: hashApiKey(api_key),
      ...shownOf(api_key),
      label,
      partner_id: partnerId,
      at: this.clock.iso(),
      actor,
    };
    await this.directory.waitFor(await this.streams.of(API_KEY_STREAMS).execute(key_id, command), {
      stream: `apikey-${key_id}`,
      readModel: 'api_key',
      next: `The key ${key_id} cannot be shown any more: deactivate it, and issue another one.`,
    });
    return { key_id, api_key };
  }
}
