import { CommandBus } from '@nestjs/cqrs';
import { RegisteredPartners } from '../../contexts/partners/registering/registered-partners.js';
import { WalletRejection } from '../../contexts/wallet/domain/wallet-command.js';
import { walletRejectionResponses } from '../../contexts/wallet/rejection-responses.js';
import { ReverseCredit } from '../../contexts/wallet/crediting/reverse-credit.command.js';
import { ReversalDto } from '../../contexts/wallet/wallet.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { formatNaira, toNaira } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { unlessWaiting } from '../support/waits-for-approval.js';
import { amountInKobo, id } from '../support/values.js';
import { printLine } from '../support/output.js';

interface Options {
  readonly amount?: number;
  readonly reason: string;
  readonly reference: string;
}

export function reverseCredit(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<partner>', 'id of the partner', id)
    .argument('<credit-reference>', 'reference of the credit')
    .option('--amount <ngn>', 'amount in NGN (default: what is left of the credit)', amountInKobo)
    .requiredOption('--reason <text>', 'reason; shown in the wallet’s entries')
    .requiredOption('--reference <text>', 'idempotency key; a second reversal with the same reference changes nothing')
    .action(async (partnerId: string, credit_reference: string, { amount: kobo, ...options }: Options) => {
      const amount = kobo === undefined ? undefined : toNaira(kobo);
      const reversal = validateBody(ReversalDto, { credit_reference, ...options, ...(amount !== undefined && { amount }) });
      const reversed = await runtime.withApplication(async (app) => {
        await app.get(RegisteredPartners).assertExists(partnerId);
        const command = new ReverseCredit(partnerId, reversal, runtime.actor);
        return await unlessWaiting(app.get(CommandBus).execute(command).catch(withReversibleAmount));
      });
      if (!reversed) return;
      const { balance_kobo, reversed_kobo, created } = reversed;
      const done = `${created ? 'reversed' : 'already reversed'} NGN ${formatNaira(reversed_kobo)}`;
      printLine(`${done}; the balance is NGN ${formatNaira(balance_kobo)}`);
    });
}

/** Adds the amount that can be reversed to the sentence of a refused reversal, which HTTP states in `data.reversible_amount`. */
function withReversibleAmount(error: unknown): never {
  if (!(error instanceof WalletRejection && error.code === 'credit_not_reversible')) throw error;
  const { message = '' } = walletRejectionResponses.credit_not_reversible;
  throw new Error(`${message} At most NGN ${formatNaira(Number(error.facts.reversible_kobo))} of it can be reversed.`, { cause: error });
}
