import { CommandBus } from '@nestjs/cqrs';
import { ChangePartner } from '../../contexts/partners/change-partner.command.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { ACTOR } from '../support/actor.js';
import { printLine } from '../support/output.js';

export function activatePartner(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('activate')
    .changes()
    .description('activate a partner, so that it can make lookups')
    .argument('<partner>', 'id of the partner')
    .action(async (id: string) => {
      await runtime.withApplication((app) => app.get(CommandBus).execute(new ChangePartner(id, { kind: 'activate' }, ACTOR)));
      printLine('active');
    });
}
