import { CommandBus } from '@nestjs/cqrs';
import { RegisteredPartners } from '../../contexts/partners/registering/registered-partners.js';
import { PayOut } from '../../contexts/wallet/crediting/pay-out.command.js';
import { WalletRejection } from '../../contexts/wallet/domain/wallet-command.js';
import { walletRejectionResponses } from '../../contexts/wallet/rejection-responses.js';
import { PayoutDto } from '../../contexts/wallet/wallet.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { formatNaira, toNaira } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { unlessWaiting } from '../support/waits-for-approval.js';
import { printLine } from '../support/output.js';
import { amountInKobo, id } from '../support/values.js';

export function payOut(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<partner>', 'id of the partner', id)
    .argument('<amount>', 'amount in NGN above 0, with at most two decimals', amountInKobo)
    .requiredOption('--reference <text>', 'idempotency key; a second payout with the same reference changes nothing')
    .requiredOption('--reason <text>', 'reason; shown in the wallet’s entries')
    .action(async (partnerId: string, kobo: number, options: { reference: string; reason: string }) => {
      const payout = validateBody(PayoutDto, { ...options, amount: toNaira(kobo) });
      const paid = await runtime.withApplication(async (app) => {
        await app.get(RegisteredPartners).assertExists(partnerId);
        const command = new PayOut(partnerId, payout, runtime.actor);
        return await unlessWaiting(app.get(CommandBus).execute(command).catch(withAvailableAmount));
      });
      if (!paid) return;
      const { balance_kobo, created } = paid;
      printLine(`${created ? 'paid out' : 'already paid out'} NGN ${formatNaira(kobo)}; the balance is NGN ${formatNaira(balance_kobo)}`);
    });
}

/** Adds the balance to the sentence of a refused payout, which HTTP states in `data.available_amount`. */
function withAvailableAmount(error: unknown): never {
  if (!(error instanceof WalletRejection && error.code === 'payout_too_high')) throw error;
  const { message = '' } = walletRejectionResponses.payout_too_high;
  throw new Error(`${message} It is NGN ${formatNaira(Number(error.facts.available_kobo))}.`, { cause: error });
}
