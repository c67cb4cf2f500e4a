import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { toKobo } from '../../../kernel/money.js';
import { CREDIT_KINDS, DEFAULT_CREDIT_KIND, deductionsOf } from '../domain/events.js';
import { type FoundCredit } from '../domain/wallet-command.js';
import { type Approval, type ApprovableCall } from '../../approvals/domain/events.js';
import { type Approvable, type Foreseen, FourEyes, type RecordedCall } from '../../approvals/public.js';
import { RegisteredPartners } from '../../partners/public.js';
import { type Decide, WalletDecisions } from './wallet-decisions.js';
import { type FoundEntry, WalletHistory } from '../verifying/wallet-history.js';
import { validateBody } from '../../../http/validating/validation.js';
import { ReversalDto } from '../wallet.dto.js';

export interface ReversalResult {
  readonly balance_kobo: number;
  /** Integer kobo that this reference has taken back, now or earlier. */
  readonly reversed_kobo: number;
  /** False if the reference had already reversed the credit. */
  readonly created: boolean;
}

/**
 * Takes back a credit, or a part of it, once per reference.
 * @throws Rejection `credit_not_reversible` if the balance or what is left of the credit is lower, `reference_reused` if the reference
 * belongs to a credit, a payout or another reversal, `credit_history_moved` if the wallet was too busy to search its earlier entries
 */
export class ReverseCredit extends Command<ReversalResult> {
  constructor(
    readonly partnerId: string,
    /** Without an amount it takes back what is left of the credit. */
    readonly reversal: ReversalDto,
    readonly actor: string,
    /** Set if a second person approved it. */
    readonly approval?: Approval,
  ) {
    super();
  }
}

@CommandHandler(ReverseCredit)
export class ReverseCreditHandler implements ICommandHandler<ReverseCredit>, Approvable<ReverseCredit> {
  readonly approvalKind = 'reversal';

  constructor(
    private readonly history: WalletHistory,
    private readonly clock: Clock,
    private readonly decisions: WalletDecisions,
    private readonly partners: RegisteredPartners,
    private readonly fourEyes: FourEyes,
  ) {
    fourEyes.register(this);
  }

  async execute(command: ReverseCredit): Promise<ReversalResult> {
    const { partnerId, reversal, approval } = command;
    if (!approval) await this.fourEyes.admit(this, command, reversal, { partner_id: partnerId });
    return await this.decide(command, this.decisions.append);
  }

  commandOf({ partner_id, ...reversal }: ApprovableCall['call'], actor: string, approval?: Approval): ReverseCredit {
    return new ReverseCredit(String(partner_id), validateBody(ReversalDto, reversal), actor, approval);
  }

  async foresee(command: ReverseCredit): Promise<Foreseen> {
    const { partnerId: partner_id, reversal } = command;
    const { mode } = await this.partners.get(partner_id);
    const { created, reversed_kobo } = await this.decide(command, this.decisions.foresee);
    return created ? { mode, partner_id, amount_kobo: reversed_kobo, reference: reversal.reference } : undefined;
  }

  async isExecuted(call: RecordedCall, approvalId: string): Promise<boolean> {
    return await this.decisions.isApproved(call, 'CreditReversed', approvalId);
  }

  private async decide({ partnerId, reversal: sent, actor, approval }: ReverseCredit, decide: Decide): Promise<ReversalResult> {
    const { credit_reference: creditReference, amount, reason, reference } = sent;
    const amount_kobo = amount == null ? null : toKobo(amount);
    const reversal = { credit_reference: creditReference, amount_kobo, reason, reference };
    const search = { references: [reference, creditReference], creditReference };
    return await this.history.search(partnerId, search, async (entries, searched) => {
      const found = foundCredit(entries, creditReference, reference);
      const at = this.clock.iso();
      const command = { kind: 'reverse' as const, partner_id: partnerId, ...reversal, found, ...searched, at, actor, approval };
      const { state, events } = await decide(command);
      const appended = events.find((event) => event.type === 'CreditReversed');
      const before = found.reversal ?? state.reversals.get(reference);
      return {
        balance_kobo: state.balance_kobo,
        reversed_kobo: appended?.data.amount_kobo ?? before?.amount_kobo ?? 0,
        created: appended !== undefined,
      };
    });
  }
}

function foundCredit(entries: readonly FoundEntry[], creditReference: string, reference: string): FoundCredit {
  const credits = entries.filter(({ type }) => type === 'WalletCredited');
  const reversals = entries.filter(({ type }) => type === 'CreditReversed').map((each) => ({ ...each, amount_kobo: -each.amount_kobo }));
  const credit = credits.find((each) => each.reference === creditReference);
  const reversal = reversals.find((each) => each.reference === reference);
  return {
    ...(credit && {
      credit: {
        amount_kobo: credit.amount_kobo,
        kind: CREDIT_KINDS.find((kind) => kind === credit.kind) ?? DEFAULT_CREDIT_KIND,
        deductions: deductionsOf(credit),
      },
    }),
    ...(reversal && { reversal: { credit_reference: reversal.credit_reference ?? '', amount_kobo: reversal.amount_kobo } }),
    reversed_kobo: reversals
      .filter((each) => each.credit_reference === creditReference)
      .reduce((sum, { amount_kobo }) => sum + amount_kobo, 0),
    isOtherReference: entries.some((each) => each.type !== 'CreditReversed' && each.reference === reference),
  };
}
