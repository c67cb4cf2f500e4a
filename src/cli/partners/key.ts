import { CommandBus } from '@nestjs/cqrs';
import { IssueApiKeyDto } from '../../contexts/api-keys/api-keys.dto.js';
import { IssueApiKey } from '../../contexts/api-keys/issue-api-key.command.js';
import { validateBody } from '../../http/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { ACTOR } from '../support/actor.js';
import { printLine } from '../support/output.js';

export function issueKey(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('key')
    .changes()
    .description('issue an API key and print it; it is not shown again')
    .argument('<partner>', 'id of the partner')
    .option('--label <text>', 'label, such as the purpose of the key')
    .action(async (id: string, options: { label?: string }) => {
      const { label } = validateBody(IssueApiKeyDto, options);
      const { api_key } = await runtime.withApplication((app) => app.get(CommandBus).execute(new IssueApiKey(id, label ?? null, ACTOR)));
      printLine(api_key);
    });
}
