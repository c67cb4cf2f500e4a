import { CommandBus } from '@nestjs/cqrs';
import { RecoverDeliveries } from '../../contexts/webhooks/delivering/recover-deliveries.command.js';
import { RecoverWebhookDto } from '../../contexts/webhooks/endpoints/webhooks.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { idNumber } from '../support/values.js';
import { instant } from '../support/wallet-log.js';

export function recoverWebhook(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<endpoint>', 'id of the endpoint, as rupa webhooks list prints it', idNumber)
    .requiredOption('--since <time>', 'ISO 8601 time, at most 30 days ago: events recorded since then are queued', instant)
    .action(async (endpointId: number, options: { readonly since: string }) => {
      const recovery = validateBody(RecoverWebhookDto, options);
      const queued = await runtime.withApplication((app) => app.get(CommandBus).execute(new RecoverDeliveries(endpointId, recovery)));
      printLine(`${queued} deliveries are queued, at most ten a second`);
    });
}
