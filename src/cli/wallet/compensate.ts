import { CommandBus } from '@nestjs/cqrs';
import { CompensateLookup } from '../../contexts/wallet/crediting/compensate-lookup.command.js';
import { CompensationDto } from '../../contexts/wallet/wallet.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { formatNaira } from '../../kernel/money.js';
import { id } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { unlessWaiting } from '../support/waits-for-approval.js';
import { printLine } from '../support/output.js';

export function compensateLookup(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<id>', 'id of the lookup, as in the entries of the wallet', id)
    .requiredOption('--reason <text>', 'reason; shown in the wallet’s entries')
    .action(async (lookupId: string, options: { reason: string }) => {
      const compensation = validateBody(CompensationDto, options);
      const compensated = await runtime.withApplication((app) =>
        unlessWaiting(app.get(CommandBus).execute(new CompensateLookup(lookupId, compensation, runtime.actor))),
      );
      if (!compensated) return;
      const { balance_kobo, amount_kobo, created } = compensated;
      const done = `${created ? 'gave back' : 'already gave back'} NGN ${formatNaira(amount_kobo)}`;
      printLine(`${done}; the balance is NGN ${formatNaira(balance_kobo)}`);
    });
}
