import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { debitOf } from '../../../../projections/wallet-entry/charged-lookups.reader.js';
import { Clock } from '../../../kernel/clock.js';
import { vatPercentOf } from '../../../kernel/vat.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { type Approval, type ApprovableCall } from '../../approvals/domain/events.js';
import { type Approvable, type Foreseen, FourEyes, type RecordedCall } from '../../approvals/public.js';
import { RegisteredPartners } from '../../partners/public.js';
import { type Decide, WalletDecisions } from './wallet-decisions.js';
import { type FoundCharge, WalletRejection } from '../domain/wallet-command.js';
import { type FoundEntry, WalletHistory } from '../verifying/wallet-history.js';
import { validateBody } from '../../../http/validating/validation.js';
import { CompensationDto } from '../wallet.dto.js';

export interface CompensationResult {
  readonly balance_kobo: number;
  /** Integer kobo that the partner was given back, now or earlier. */
  readonly amount_kobo: number;
  /** False if the lookup was compensated before. */
  readonly created: boolean;
}

/**
 * Gives back the charge of a settled lookup, at most once.
 * @throws Rejection `lookup_unknown`, `charge_open` or `charge_refunded` if there is no settled charge to give back, `balance_limit` if the
 * balance would exceed the safe integers, `credit_history_moved` if the wallet was too busy to search its earlier entries
 */
export class CompensateLookup extends Command<CompensationResult> {
  constructor(
    readonly lookupId: string,
    readonly compensation: CompensationDto,
    readonly actor: string,
    /** Set if a second person approved it. */
    readonly approval?: Approval,
  ) {
    super();
  }
}

@CommandHandler(CompensateLookup)
export class CompensateLookupHandler implements ICommandHandler<CompensateLookup>, Approvable<CompensateLookup> {
  readonly approvalKind = 'compensation';

  constructor(
    private readonly history: WalletHistory,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    @Inject(POOL) private readonly pool: Pool,
    private readonly decisions: WalletDecisions,
    private readonly partners: RegisteredPartners,
    private readonly fourEyes: FourEyes,
  ) {
    fourEyes.register(this);
  }

  async execute(command: CompensateLookup): Promise<CompensationResult> {
    const { lookupId, compensation, approval } = command;
    if (!approval) await this.fourEyes.admit(this, command, compensation, { lookup_id: lookupId });
    return await this.decide(command, this.decisions.append);
  }

  commandOf({ lookup_id, ...compensation }: ApprovableCall['call'], actor: string, approval?: Approval): CompensateLookup {
    return new CompensateLookup(String(lookup_id), validateBody(CompensationDto, compensation), actor, approval);
  }

  async foresee(command: CompensateLookup): Promise<Foreseen> {
    const partner_id = await this.partnerOf(command.lookupId);
    const { mode } = await this.partners.get(partner_id);
    const { created, amount_kobo } = await this.decide(command, this.decisions.foresee);
    return created ? { mode, partner_id, amount_kobo, reference: command.lookupId } : undefined;
  }

  async isExecuted(call: RecordedCall, approvalId: string): Promise<boolean> {
    return await this.decisions.isApproved(call, 'LookupCompensated', approvalId);
  }

  private async decide({ lookupId, compensation, actor, approval }: CompensateLookup, decide: Decide): Promise<CompensationResult> {
    const { reason } = compensation;
    const partnerId = await this.partnerOf(lookupId);
    return await this.history.search(partnerId, { lookupId }, async (entries, searched) => {
      const debit = entries.find(({ type }) => type === 'WalletDebited');
      if (!debit) throw new WalletRejection('lookup_unknown', { lookup_id: lookupId });
      const found = foundCharge(debit, await this.givenBack(partnerId, debit, entries));
      const { state, events } = await decide({
        kind: 'compensate',
        partner_id: partnerId,
        lookup_id: lookupId,
        reason,
        found,
        ...searched,
        at: this.clock.iso(),
        actor,
        approval,
      });
      return { balance_kobo: state.balance_kobo, amount_kobo: found.amount_kobo, created: events.length > 0 };
    });
  }

  private async givenBack(partnerId: string, { revision }: FoundEntry, entries: readonly FoundEntry[]): Promise<FoundCharge['given_back']> {
    if (entries.some(({ type }) => type === 'LookupCompensated')) return 'compensated';
    return (await this.history.wasRefunded(partnerId, revision)) ? 'refunded' : undefined;
  }

  private async partnerOf(lookupId: string): Promise<string> {
    const found = await debitOf(this.pool, lookupId);
    if (found) return found.partner_id;
    // The lookup may be too recent for the read model.
    await this.readModels.waitForLog([walletEntryProjection]);
    const debit = await debitOf(this.pool, lookupId);
    if (!debit) throw new WalletRejection('lookup_unknown', { lookup_id: lookupId });
    return debit.partner_id;
  }
}

function foundCharge(debit: FoundEntry, given_back: FoundCharge['given_back']): FoundCharge {
  return {
    debit_revision: debit.revision,
    rupa_id: debit.rupa_id ?? '',
    amount_kobo: -debit.amount_kobo,
    breakdown_kobo: debit.breakdown_kobo ?? {},
    vat_percent: vatPercentOf(debit),
    given_back,
  };
}
