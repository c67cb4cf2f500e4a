import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../kernel/clock.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { RegisteredPartners } from '../partners/public.js';
import { ApiKeyStream } from './api-key-stream.js';

export type ApiKeyChange = { readonly kind: 'link'; readonly partner_id: string } | { readonly kind: 'deactivate' };

/** Links or deactivates a key. Raises Rejection `api_key_unknown` or `partner_unknown`. */
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
    private readonly stream: ApiKeyStream,
    private readonly partners: RegisteredPartners,
    private readonly clock: Clock,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ keyId, change, actor }: ChangeApiKey): Promise<void> {
    if (change.kind === 'link') await this.partners.assertExists(change.partner_id);
    const command = { ...change, key_id: keyId, at: this.clock.iso(), actor };
    await this.readModels.waitFor(await this.stream.execute(keyId, command));
  }
}
