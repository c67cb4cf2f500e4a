import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { debitOf } from '../../../../projections/wallet-entry/charged-lookups.reader.js';
import { Clock } from '../../../kernel/clock.js';
import { vatPercentOf } from '../../../kernel/vat.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { type FoundCharge, WalletRejection } from '../domain/wallet-command.js';
import { type FoundEntry, WalletHistory } from '../verifying/wallet-history.js';
import { type CompensationDto } from '../wallet.dto.js';
import { WALLET_STREAMS } from '../domain/wallet.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

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
  ) {
    super();
  }
}

@CommandHandler(CompensateLookup)
export class CompensateLookupHandler implements ICommandHandler<CompensateLookup> {
  constructor(
    private readonly streams: Streams,
    private readonly history: WalletHistory,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async execute({ lookupId, compensation: { reason }, actor }: CompensateLookup): Promise<CompensationResult> {
    const partnerId = await this.partnerOf(lookupId);
    return await this.history.search(partnerId, { lookupId }, async (entries, checked_to_revision) => {
      const found = foundCharge(entries);
      if (!found) throw new WalletRejection('lookup_unknown', { lookup_id: lookupId });
      const committed = await this.streams.of(WALLET_STREAMS).execute(partnerId, {
        kind: 'compensate',
        partner_id: partnerId,
        lookup_id: lookupId,
        reason,
        found,
        checked_to_revision,
        at: this.clock.iso(),
        actor,
      });
      await this.readModels.waitFor(committed);
      const { state, events } = committed;
      return { balance_kobo: state.balance_kobo, amount_kobo: found.amount_kobo, created: events.length > 0 };
    });
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

function foundCharge(entries: readonly FoundEntry[]): FoundCharge | undefined {
  const debit = entries.find(({ type }) => type === 'WalletDebited');
  if (!debit) return undefined;
  const types = new Set(entries.map(({ type }) => type));
  return {
    debit_revision: debit.revision,
    rupa_id: debit.rupa_id ?? '',
    amount_kobo: -debit.amount_kobo,
    breakdown_kobo: debit.breakdown_kobo ?? {},
    vat_percent: vatPercentOf(debit),
    ...(types.has('RefundIssued') && { given_back: 'refunded' as const }),
    ...(types.has('LookupCompensated') && { given_back: 'compensated' as const }),
  };
}
