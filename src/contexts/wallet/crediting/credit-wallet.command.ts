import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { toKobo } from '../../../kernel/money.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { DEFAULT_CREDIT_KIND, deductionsOf } from '../domain/events.js';
import { haveEqualDeductions } from '../domain/deductions.js';
import { WalletRejection } from '../domain/wallet-command.js';
import { WalletHistory } from '../verifying/wallet-history.js';
import { type CreditDto } from '../wallet.dto.js';
import { WALLET_STREAMS } from '../domain/wallet.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

export interface CreditResult {
  readonly balance_kobo: number;
  /** False if the reference was already credited with the same content. */
  readonly created: boolean;
}

/**
 * Adds money to a wallet, once per reference.
 * @throws Rejection `reference_reused` if the reference belongs to another credit, a reversal or a payout, `balance_limit` if the balance, with the
 * charges that may be refunded, would exceed the largest exact amount, `credit_history_moved` if the wallet was too busy to search its
 * earlier credits
 */
export class CreditWallet extends Command<CreditResult> {
  constructor(
    readonly partnerId: string,
    readonly credit: CreditDto,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(CreditWallet)
export class CreditWalletHandler implements ICommandHandler<CreditWallet> {
  constructor(
    private readonly streams: Streams,
    private readonly history: WalletHistory,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  async execute({ partnerId, credit: sent, actor }: CreditWallet): Promise<CreditResult> {
    const { reference, reason = null } = sent;
    const amount_kobo = toKobo(sent.amount);
    const kind = sent.kind ?? DEFAULT_CREDIT_KIND;
    const deductions = { bank_fee_kobo: toKobo(sent.bank_fee ?? 0), withheld_tax_kobo: toKobo(sent.withheld_tax ?? 0) };
    return await this.history.search(partnerId, { references: [reference] }, async ([before], checked_to_revision) => {
      if (before) {
        const isSame = before.type === 'WalletCredited' && before.amount_kobo === amount_kobo && before.kind === kind;
        if (!isSame || !haveEqualDeductions(deductionsOf(before), deductions)) throw new WalletRejection('reference_reused', { reference });
        return { balance_kobo: (await this.streams.of(WALLET_STREAMS).load(partnerId)).state.balance_kobo, created: false };
      }
      const at = this.clock.iso();
      const credit = { amount_kobo, credit_kind: kind, deductions, reference, reason };
      const command = { kind: 'credit' as const, partner_id: partnerId, ...credit, checked_to_revision, at, actor };
      const committed = await this.streams.of(WALLET_STREAMS).execute(partnerId, command);
      await this.readModels.waitFor(committed);
      return { balance_kobo: committed.state.balance_kobo, created: committed.events.length > 0 };
    });
  }
}
