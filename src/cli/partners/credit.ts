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
import { unlessWaiting } from '../support/waits-for-approval.js';
import { amountInKobo, id } from '../support/values.js';
import { printLine } from '../support/output.js';

interface Options {
  readonly reference: string;
  readonly kind: CreditKind;
  readonly reason?: string;
  /** Integer kobo. */
  readonly bankFee?: number;
  /** Integer kobo. */
  readonly withheldTax?: number;
}

export function creditPartner(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<partner>', 'id of the partner', id)
    .argument('<amount>', 'amount in NGN above 0, with at most two decimals', amountInKobo)
    .requiredOption('--reference <text>', 'idempotency key; a second credit with the same reference changes nothing')
    .addOption(new Option('--kind <kind>', 'only a payment counts as cash received').choices(CREDIT_KINDS).default('payment'))
    .option('--bank-fee <ngn>', 'what the bank kept of a payment, as a part of the amount', amountInKobo)
    .option('--withheld-tax <ngn>', 'what the partner withheld of a payment as tax, as a part of the amount', amountInKobo)
    .option('--reason <text>', 'reason, required unless the credit is a payment; shown in the wallet’s entries')
    .action(async (partnerId: string, kobo: number, { bankFee, withheldTax, ...options }: Options) => {
      const credit = validateBody(CreditDto, {
        ...options,
        amount: toNaira(kobo),
        ...(bankFee !== undefined && { bank_fee: toNaira(bankFee) }),
        ...(withheldTax !== undefined && { withheld_tax: toNaira(withheldTax) }),
      });
      const credited = await runtime.withApplication(async (app) => {
        await app.get(RegisteredPartners).assertExists(partnerId);
        return await unlessWaiting(app.get(CommandBus).execute(new CreditWallet(partnerId, credit, runtime.actor)));
      });
      if (!credited) return;
      const { balance_kobo, created } = credited;
      printLine(`${created ? 'credited' : 'already credited'}; the balance is NGN ${formatNaira(balance_kobo)}`);
    });
}
