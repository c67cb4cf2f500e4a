import { CommandBus } from '@nestjs/cqrs';
import { IssueApiKeyDto } from '../../contexts/partners/keys/api-keys.dto.js';
import { IssueApiKey } from '../../contexts/partners/keys/issue-api-key.command.js';
import { validateBody } from '../../http/validating/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';

export function issueUnlinkedKey(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .option('--label <text>', 'label, such as the purpose of the key')
    .action(async (options: { label?: string }) => {
      const key = validateBody(IssueApiKeyDto, options);
      const { key_id, api_key } = await runtime.withApplication((app) =>
        app.get(CommandBus).execute(new IssueApiKey(null, key, runtime.actor)),
      );
      printLine(`${key_id} ${api_key}`);
    });
}
