import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { CREDIT_KINDS, type CreditKind } from '../../contexts/wallet/domain/events.js';
import { RegisteredPartners } from '../../contexts/partners/registered-partners.js';
import { CreditWallet } from '../../contexts/wallet/credit-wallet.command.js';
import { CreditDto } from '../../contexts/wallet/wallet.dto.js';
import { validateBody } from '../../http/validation.js';
import { formatNaira, toNaira } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { ACTOR } from '../support/actor.js';
import { printLine } from '../support/output.js';
import { amountInKobo } from '../support/values.js';

export function creditPartner(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('credit')
    .changes()
    .description('credit a partner’s wallet and print the new balance')
    .argument('<partner>', 'id of the partner')
    .argument('<amount>', 'amount in NGN above 0, with at most two decimals', amountInKobo)
    .requiredOption('--reference <text>', 'idempotency key; a second credit with the same reference changes nothing')
    .addOption(new Option('--kind <kind>', 'only a payment counts as cash received').choices(CREDIT_KINDS).default('payment'))
    .option('--reason <text>', 'reason, required unless the credit is a payment; shown in the wallet’s entries')
    .action(async (id: string, kobo: number, options: { reference: string; kind: CreditKind; reason?: string }) => {
      const { reference, kind, reason = null } = validateBody(CreditDto, { ...options, amount: toNaira(kobo) });
      const { balance_kobo, created } = await runtime.withApplication(async (app) => {
        await app.get(RegisteredPartners).assertExists(id);
        return await app.get(CommandBus).execute(new CreditWallet(id, kobo, reference, ACTOR, reason, kind ?? undefined));
      });
      printLine(`${created ? 'credited' : 'already credited'}; the balance is NGN ${formatNaira(balance_kobo)}`);
    });
}
