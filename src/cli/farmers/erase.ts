import { CommandBus } from '@nestjs/cqrs';
import { EraseFarmer } from '../../contexts/farmers/erasing/erase-farmer.command.js';
import { type RupaId } from '../../http/validating/validation.js';
import { printLine } from '../support/output.js';
import { rupaId } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function eraseFarmer(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .argument('<rupa-id>', 'Rupa ID of the farmer', rupaId)
    .option('--json', 'print as JSON')
    .action(async (rupa_id: RupaId, { json }: { json?: boolean }) => {
      await runtime.withApplication((app) => app.get(CommandBus).execute(new EraseFarmer(rupa_id, runtime.actor)));
      printLine(json ? JSON.stringify({ rupa_id, erased: true }) : `${rupa_id} is erased`);
    });
}
