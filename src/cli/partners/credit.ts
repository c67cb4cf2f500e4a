import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { CREDIT_KINDS, type CreditKind } from '../../contexts/wallet/domain/events.js';
import { RegisteredPartners } from '../../contexts/partners/registering/registered-partners.js';
import { CreditWallet } from '../../contexts/wallet/crediting/credit-wallet.command.js';
import { CreditDto } from '../../contexts/wallet/wallet.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { formatNaira, toNaira } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { ACTOR, amountInKobo, id } from '../support/values.js';
import { printLine } from '../support/output.js';

export function creditPartner(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<partner>', 'id of the partner', id)
    .argument('<amount>', 'amount in NGN above 0, with at most two decimals', amountInKobo)
    .requiredOption('--reference <text>', 'idempotency key; a second credit with the same reference changes nothing')
    .addOption(new Option('--kind <kind>', 'only a payment counts as cash received').choices(CREDIT_KINDS).default('payment'))
    .option('--reason <text>', 'reason, required unless the credit is a payment; shown in the wallet’s entries')
    .action(async (partnerId: string, kobo: number, options: { reference: string; kind: CreditKind; reason?: string }) => {
      const credit = validateBody(CreditDto, { ...options, amount: toNaira(kobo) });
      const { balance_kobo, created } = await runtime.withApplication(async (app) => {
        await app.get(RegisteredPartners).assertExists(partnerId);
        return await app.get(CommandBus).execute(new CreditWallet(partnerId, credit, ACTOR));
      });
      printLine(`${created ? 'credited' : 'already credited'}; the balance is NGN ${formatNaira(balance_kobo)}`);
    });
}
