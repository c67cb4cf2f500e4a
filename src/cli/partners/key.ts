import { CommandBus } from '@nestjs/cqrs';
import { IssueApiKeyDto } from '../../contexts/partners/keys/api-keys.dto.js';
import { IssueApiKey } from '../../contexts/partners/keys/issue-api-key.command.js';
import { validateBody } from '../../http/validating/validation.js';
import { id } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';

export function issueKey(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<partner>', 'id of the partner', id)
    .option('--label <text>', 'label, such as the purpose of the key')
    .action(async (partnerId: string, options: { label?: string }) => {
      const key = validateBody(IssueApiKeyDto, options);
      const { api_key } = await runtime.withApplication((app) =>
        app.get(CommandBus).execute(new IssueApiKey(partnerId, key, runtime.actor)),
      );
      printLine(api_key);
    });
}
