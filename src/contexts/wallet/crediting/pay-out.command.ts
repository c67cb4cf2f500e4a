import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { toKobo } from '../../../kernel/money.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { WalletRejection } from '../domain/wallet-command.js';
import { WALLET_STREAMS } from '../domain/wallet.js';
import { type Approval, type ApprovableCall } from '../../approvals/domain/events.js';
import { type Approvable, type Foreseen, FourEyes, type RecordedCall } from '../../approvals/public.js';
import { RegisteredPartners } from '../../partners/public.js';
import { type Decide, WalletDecisions } from './wallet-decisions.js';
import { WalletHistory } from '../verifying/wallet-history.js';
import { validateBody } from '../../../http/validating/validation.js';
import { PayoutDto } from '../wallet.dto.js';

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
    /** Set if a second person approved it. */
    readonly approval?: Approval,
  ) {
    super();
  }
}

@CommandHandler(PayOut)
export class PayOutHandler implements ICommandHandler<PayOut>, Approvable<PayOut> {
  readonly approvalKind = 'payout';

  constructor(
    private readonly streams: Streams,
    private readonly history: WalletHistory,
    private readonly clock: Clock,
    private readonly decisions: WalletDecisions,
    private readonly partners: RegisteredPartners,
    private readonly fourEyes: FourEyes,
  ) {
    fourEyes.register(this);
  }

  async execute(command: PayOut): Promise<PayoutResult> {
    const { partnerId, payout, approval } = command;
    if (!approval) await this.fourEyes.admit(this, command, payout, { partner_id: partnerId });
    return await this.decide(command, this.decisions.append);
  }

  commandOf({ partner_id, ...payout }: ApprovableCall['call'], actor: string, approval?: Approval): PayOut {
    return new PayOut(String(partner_id), validateBody(PayoutDto, payout), actor, approval);
  }

  async foresee(command: PayOut): Promise<Foreseen> {
    const { partnerId: partner_id, payout } = command;
    const { amount, reference } = payout;
    const { mode } = await this.partners.get(partner_id);
    const { created } = await this.decide(command, this.decisions.foresee);
    return created ? { mode, partner_id, amount_kobo: toKobo(amount), reference } : undefined;
  }

  async isExecuted(call: RecordedCall, approvalId: string): Promise<boolean> {
    return await this.decisions.isApproved(call, 'WalletPaidOut', approvalId);
  }

  private async decide({ partnerId, payout, actor, approval }: PayOut, decide: Decide): Promise<PayoutResult> {
    const { amount, reference, reason } = payout;
    const amount_kobo = toKobo(amount);
    return await this.history.search(partnerId, { references: [reference] }, async ([before], searched) => {
      if (before) {
        // The read model has the change of the balance, which is negative.
        if (before.type !== 'WalletPaidOut' || before.amount_kobo !== -amount_kobo)
          throw new WalletRejection('reference_reused', { reference });
        return { balance_kobo: (await this.streams.of(WALLET_STREAMS).load(partnerId)).state.balance_kobo, created: false };
      }
      const paid = { kind: 'pay_out' as const, partner_id: partnerId, amount_kobo, reference, reason };
      const { state, events } = await decide({ ...paid, ...searched, at: this.clock.iso(), actor, approval });
      return { balance_kobo: state.balance_kobo, created: events.length > 0 };
    });
  }
}
