import { CommandBus } from '@nestjs/cqrs';
import { ChangeApiKey } from '../../contexts/partners/keys/change-api-key.command.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { id } from '../support/values.js';
import { printLine } from '../support/output.js';

export function revokeKey(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<key>', 'id of the key, as rupa keys list prints it', id)
    .action(async (keyId: string) => {
      await runtime.withApplication((app) => app.get(CommandBus).execute(new ChangeApiKey(keyId, 'deactivate', runtime.actor)));
      printLine(`${keyId} is deactivated`);
    });
}
