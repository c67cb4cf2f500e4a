import { CommandBus } from '@nestjs/cqrs';
import { ChangePartner } from '../../contexts/partners/registering/change-partner.command.js';
import { id } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';

export function activatePartner(command: RupaCommand, runtime: CommandRuntime): void {
  changeStatus('activate', 'active', command, runtime);
}

export function deactivatePartner(command: RupaCommand, runtime: CommandRuntime): void {
  changeStatus('deactivate', 'pending', command, runtime);
}

function changeStatus(
  change: 'activate' | 'deactivate',
  status: 'active' | 'pending',
  command: RupaCommand,
  runtime: CommandRuntime,
): void {
  command
    .changes()
    .argument('<partner>', 'id of the partner', id)
    .action(async (partnerId: string) => {
      await runtime.withApplication((app) => app.get(CommandBus).execute(new ChangePartner(partnerId, change, runtime.actor)));
      printLine(status);
    });
}
