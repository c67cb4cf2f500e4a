import { CommandBus } from '@nestjs/cqrs';
import { SwitchEndpoint } from '../../contexts/webhooks/endpoints/switch-endpoint.command.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { idNumber } from '../support/values.js';
import { printLine } from '../support/output.js';

export function enableWebhook(command: RupaCommand, runtime: CommandRuntime): void {
  switchTo('enabled', command, runtime);
}

export function disableWebhook(command: RupaCommand, runtime: CommandRuntime): void {
  switchTo('disabled', command, runtime);
}

function switchTo(to: 'enabled' | 'disabled', command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<endpoint>', 'id of the endpoint, as rupa webhooks list prints it', idNumber)
    .action(async (endpointId: number) => {
      await runtime.withApplication((app) => app.get(CommandBus).execute(new SwitchEndpoint(endpointId, to, runtime.actor)));
      printLine(to);
    });
}
