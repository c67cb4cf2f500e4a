import { CommandBus } from '@nestjs/cqrs';
import { InvalidArgumentError } from 'commander';
import { RegisteredPartners } from '../../contexts/partners/registered-partners.js';
import { CreditWallet } from '../../contexts/wallet/credit-wallet.command.js';
import { formatNaira, toKobo } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { ACTOR } from '../support/actor.js';
import { printLine } from '../support/output.js';

const MAX_REASON_LENGTH = 255;

export function creditPartner(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('credit')
    .changes()
    .description('credit a partner’s wallet and print the new balance')
    .argument('<partner>', 'id of the partner')
    .argument('<amount>', 'amount in NGN, with at most two decimals')
    .requiredOption('--reference <text>', 'idempotency key; a second credit with the same reference changes nothing')
    .option('--reason <text>', 'reason, such as goodwill; shown in the wallet’s entries', reasonText)
    .action(async (id: string, amount: string, { reference, reason }: { reference: string; reason?: string }) => {
      const kobo = toKobo(Number(amount));
      const { balance_kobo, created } = await runtime.withApplication(async (app) => {
        await app.get(RegisteredPartners).assertExists(id);
        return await app.get(CommandBus).execute(new CreditWallet(id, kobo, reference, ACTOR, reason ?? null));
      });
      printLine(`${created ? 'credited' : 'already credited'}; the balance is NGN ${formatNaira(balance_kobo)}`);
    });
}

function reasonText(text: string): string {
  if (text.length > MAX_REASON_LENGTH) throw new InvalidArgumentError(`It must not be longer than ${MAX_REASON_LENGTH} characters.`);
  return text;
}
