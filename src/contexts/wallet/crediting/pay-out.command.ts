import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { toKobo } from '../../../kernel/money.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { WalletRejection } from '../domain/wallet-command.js';
import { WALLET_STREAMS } from '../domain/wallet.js';
import { WalletHistory } from '../verifying/wallet-history.js';
import { type PayoutDto } from '../wallet.dto.js';

export interface PayoutResult {
  readonly balance_kobo: number;
  /** False if the reference had already paid out the same amount. */
  readonly created: boolean;
}

/**
 * Records that a part of a partner's balance, or all of it, was paid out to its bank account, once per reference (finance, "Money in and
 * out").
 * @throws Rejection `payout_too_high` if the balance is lower, `reference_reused` if the reference belongs to a credit, a reversal or another
 * payout, `credit_history_moved` if the wallet was too busy to search its earlier entries
 */
export class PayOut extends Command<PayoutResult> {
  constructor(
    readonly partnerId: string,
    readonly payout: PayoutDto,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(PayOut)
export class PayOutHandler implements ICommandHandler<PayOut> {
  constructor(
    private readonly streams: Streams,
    private readonly history: WalletHistory,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  async execute({ partnerId, payout: { amount, reference, reason }, actor }: PayOut): Promise<PayoutResult> {
    const amount_kobo = toKobo(amount);
    return await this.history.search(partnerId, { references: [reference] }, async ([before], checked_to_revision) => {
      if (before) {
        // The read model has the change of the balance, which is negative.
        if (before.type !== 'WalletPaidOut' || before.amount_kobo !== -amount_kobo)
          throw new WalletRejection('reference_reused', { reference });
        return { balance_kobo: (await this.streams.of(WALLET_STREAMS).load(partnerId)).state.balance_kobo, created: false };
      }
      const command = { kind: 'pay_out' as const, partner_id: partnerId, amount_kobo, reference, reason };
      const committed = await this.streams
        .of(WALLET_STREAMS)
        .execute(partnerId, { ...command, checked_to_revision, at: this.clock.iso(), actor });
      await this.readModels.waitFor(committed);
      return { balance_kobo: committed.state.balance_kobo, created: committed.events.length > 0 };
    });
  }
}
