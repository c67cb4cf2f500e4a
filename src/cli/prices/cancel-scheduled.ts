import { CommandBus } from '@nestjs/cqrs';
import { CancelScheduledFees } from '../../contexts/pricing/scheduling/schedule-fees.command.js';
import { printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function cancelScheduledPrices(command: RupaCommand, runtime: CommandRuntime): void {
  command.changes().action(async () => {
    const cancelled = await runtime.withApplication((app) => app.get(CommandBus).execute(new CancelScheduledFees(runtime.actor)));
    printLine(cancelled ? 'The scheduled price book is cancelled.' : 'No price book is scheduled that is not in force yet.');
  });
}
