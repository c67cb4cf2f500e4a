import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { toKobo } from '../../../kernel/money.js';
import { DEFAULT_CREDIT_KIND, deductionsOf } from '../domain/events.js';
import { haveEqualDeductions } from '../domain/deductions.js';
import { WalletRejection } from '../domain/wallet-command.js';
import { type Approval, type ApprovableCall } from '../../approvals/domain/events.js';
import { type Approvable, type Foreseen, FourEyes, type RecordedCall } from '../../approvals/public.js';
import { RegisteredPartners } from '../../partners/public.js';
import { type Decide, WalletDecisions } from './wallet-decisions.js';
import { WalletHistory } from '../verifying/wallet-history.js';
import { validateBody } from '../../../http/validating/validation.js';
import { CreditDto } from '../wallet.dto.js';
import { WALLET_STREAMS } from '../domain/wallet.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

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
    /** Set if a second person approved it. */
    readonly approval?: Approval,
  ) {
    super();
  }
}

@CommandHandler(CreditWallet)
export class CreditWalletHandler implements ICommandHandler<CreditWallet>, Approvable<CreditWallet> {
  readonly approvalKind = 'credit';

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

  async execute(command: CreditWallet): Promise<CreditResult> {
    const { partnerId, credit, approval } = command;
    const defaults = { kind: credit.kind ?? DEFAULT_CREDIT_KIND, bank_fee: credit.bank_fee ?? 0, withheld_tax: credit.withheld_tax ?? 0 };
    if (!approval) await this.fourEyes.admit(this, command, credit, { partner_id: partnerId, ...defaults });
    return await this.decide(command, this.decisions.append);
  }

  commandOf({ partner_id, ...credit }: ApprovableCall['call'], actor: string, approval?: Approval): CreditWallet {
    return new CreditWallet(String(partner_id), validateBody(CreditDto, credit), actor, approval);
  }

  async foresee(command: CreditWallet): Promise<Foreseen> {
    const { partnerId: partner_id, credit } = command;
    const { amount, reference } = credit;
    const { mode } = await this.partners.get(partner_id);
    const { created } = await this.decide(command, this.decisions.foresee);
    return created ? { mode, partner_id, amount_kobo: toKobo(amount), reference } : undefined;
  }

  async isExecuted(call: RecordedCall, approvalId: string): Promise<boolean> {
    return await this.decisions.isApproved(call, 'WalletCredited', approvalId);
  }

  private async decide({ partnerId, credit: sent, actor, approval }: CreditWallet, decide: Decide): Promise<CreditResult> {
    const { reference, reason = null } = sent;
    const amount_kobo = toKobo(sent.amount);
    const kind = sent.kind ?? DEFAULT_CREDIT_KIND;
    const deductions = { bank_fee_kobo: toKobo(sent.bank_fee ?? 0), withheld_tax_kobo: toKobo(sent.withheld_tax ?? 0) };
    return await this.history.search(partnerId, { references: [reference] }, async ([before], searched) => {
      if (before) {
        const isSame = before.type === 'WalletCredited' && before.amount_kobo === amount_kobo && before.kind === kind;
        if (!isSame || !haveEqualDeductions(deductionsOf(before), deductions)) throw new WalletRejection('reference_reused', { reference });
        return { balance_kobo: (await this.streams.of(WALLET_STREAMS).load(partnerId)).state.balance_kobo, created: false };
      }
      const at = this.clock.iso();
      const credit = { amount_kobo, credit_kind: kind, deductions, reference, reason };
      const command = { kind: 'credit' as const, partner_id: partnerId, ...credit, ...searched, at, actor, approval };
      const { state, events } = await decide(command);
      return { balance_kobo: state.balance_kobo, created: events.length > 0 };
    });
  }
}
