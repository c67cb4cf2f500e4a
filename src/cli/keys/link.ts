import { CommandBus } from '@nestjs/cqrs';
import { LinkApiKeyDto } from '../../contexts/partners/keys/api-keys.dto.js';
import { ChangeApiKey } from '../../contexts/partners/keys/change-api-key.command.js';
import { validateBody } from '../../http/validating/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { id } from '../support/values.js';
import { printLine } from '../support/output.js';

export function linkKey(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<key>', 'id of the key, as rupa keys list prints it', id)
    .argument('<partner>', 'id of the partner', id)
    .action(async (keyId: string, partner_id: string) => {
      const link = validateBody(LinkApiKeyDto, { partner_id });
      await runtime.withApplication((app) => app.get(CommandBus).execute(new ChangeApiKey(keyId, link, runtime.actor)));
      printLine(`${keyId} is linked to ${partner_id}`);
    });
}
