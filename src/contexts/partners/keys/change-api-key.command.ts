import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { RegisteredPartners } from '../registering/registered-partners.js';
import { type LinkApiKeyDto } from './api-keys.dto.js';
import { DeactivatedKeys } from './key-ends.js';
import { API_KEY_STREAMS } from '../domain/api-key.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

export type ApiKeyChange = 'deactivate' | LinkApiKeyDto;

/**
 * Links or deactivates a key, and completes once that is in force on every instance. Raises Rejection `api_key_unknown`,
 * `partner_unknown`, `api_key_linked` (to another partner) or `api_key_deactivated`, or NotYetInForce if the change is recorded, but not in
 * force in time.
 */
export class ChangeApiKey extends Command<void> {
  constructor(
    readonly keyId: string,
    readonly change: ApiKeyChange,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(ChangeApiKey)
export class ChangeApiKeyHandler implements ICommandHandler<ChangeApiKey> {
  constructor(
    private readonly streams: Streams,
    private readonly partners: RegisteredPartners,
    private readonly clock: Clock,
    private readonly deactivated: DeactivatedKeys,
    private readonly directory: DirectoryChanges,
  ) {}

  async execute({ keyId, change, actor }: ChangeApiKey): Promise<void> {
    const isLink = change !== 'deactivate';
    if (isLink) await this.partners.assertExists(change.partner_id);
    const decided = isLink ? { kind: 'link' as const, partner_id: change.partner_id } : { kind: change };
    const at = this.clock.iso();
    const command = { ...decided, key_id: keyId, at, actor };
    const committed = await this.streams
      .of(API_KEY_STREAMS)
      .execute(keyId, command)
      .catch((error: unknown) => this.despite(error, keyId, change, actor));
    // Every instance refuses a deactivated key at once, whether or not a projector works.
    if (!isLink) await this.directory.announce(() => this.deactivated.add(keyId, at));
    else if (committed) await this.directory.waitFor(committed, { stream: `apikey-${keyId}`, readModel: 'api_key' });
  }

  /** Records the deactivation of a key whose history is missing, once (evidence, "History that is missing"). */
  private async despite(error: unknown, keyId: string, change: ApiKeyChange, actor: string): Promise<undefined> {
    if (!(error instanceof HistoryMissing) || change !== 'deactivate') throw error;
    if (await this.deactivated.has(keyId)) return;
    await this.streams
      .of(API_KEY_STREAMS)
      .appendUnread(keyId, { type: 'ApiKeyDeactivated', data: { key_id: keyId, recorded_at: this.clock.iso(), actor } }, error);
  }
}
