import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../kernel/clock.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { type CreditKind } from './domain/events.js';
import { WalletRejection } from './domain/rejections.js';
import { assertCreditInBounds } from './domain/wallet-command.js';
import { WalletHistory } from './wallet-history.js';
import { WalletStream } from './wallet-stream.js';

export interface CreditResult {
  readonly balance_kobo: number;
  /** False if the reference was already credited with the same amount and kind. */
  readonly created: boolean;
}

/**
 * Adds money to a wallet, once per reference.
 * @throws Rejection `reference_reused` if the reference belongs to another credit or to a reversal, `balance_limit` if the balance, with the
 * charges that may be refunded, would exceed the largest exact amount, `credit_history_moved` if the wallet was too busy to search its
 * earlier credits
 * @throws ValidationFailed if the amount, the reference or the reason is out of bounds
 */
export class CreditWallet extends Command<CreditResult> {
  constructor(
    readonly partnerId: string,
    /** Integer kobo, above 0. */
    readonly amountKobo: number,
    /** The idempotency key of the credit; 1 to 255 characters. */
    readonly reference: string,
    readonly actor: string,
    /** At most 255 characters; required unless the credit is a payment. */
    readonly reason: string | null = null,
    readonly kind: CreditKind = 'payment',
  ) {
    super();
  }
}

@CommandHandler(CreditWallet)
export class CreditWalletHandler implements ICommandHandler<CreditWallet> {
  constructor(
    private readonly stream: WalletStream,
    private readonly history: WalletHistory,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  async execute({ partnerId, amountKobo, reference, actor, reason, kind }: CreditWallet): Promise<CreditResult> {
    const credit = { amount_kobo: amountKobo, credit_kind: kind, reference, reason };
    // The decider checks the same. This check comes first because the search for the reference must not see what PostgreSQL cannot store.
    assertCreditInBounds(credit);
    return await this.history.search(partnerId, { references: [reference] }, async ([before], checked_to_revision) => {
      if (before) {
        if (before.type !== 'WalletCredited' || before.amount_kobo !== amountKobo || before.kind !== kind)
          throw new WalletRejection('reference_reused', { reference });
        return { balance_kobo: (await this.stream.load(partnerId)).state.balance_kobo, created: false };
      }
      const at = this.clock.iso();
      const command = { kind: 'credit' as const, partner_id: partnerId, ...credit, checked_to_revision, at, actor };
      const committed = await this.stream.execute(partnerId, command);
      await this.readModels.waitFor(committed);
      return { balance_kobo: committed.state.balance_kobo, created: committed.events.length > 0 };
    });
  }
}
