import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ledgerPeriodProjection } from '../../../../projections/ledger-period/ledger-period.projection.js';
import { closedPeriod } from '../../../../projections/ledger-period/ledger-period.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { Clock } from '../../../kernel/clock.js';
import { readSnapshot, type Snapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { computedUpTo } from '../../../platform/projecting/checkpoints.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { LogIndex } from '../../evidence/public.js';
import { RegisteredPartners } from '../../partners/public.js';
import { type Issuer } from '../domain/events.js';
import { type Month, StatementRejection } from '../domain/month.js';
import { type OpenPeriod, type PartnerStatement, Statements, streamsOfStatement } from './statements.js';

/** The options of statements, which the application provides. */
export abstract class IssuerOptions {
  abstract readonly issuer: Issuer;
  /** The first part of the numbers of statements. */
  abstract readonly prefix: string;
}

/** A statement to be disposed of when it was read. */
export interface HeldStatement extends PartnerStatement, AsyncDisposable {}

/**
 * Returns a month's statement of a partner's wallet. Raises Rejection `partner_unknown`, or `statement_unknown` for a month that has not begun
 * or that ended before the partner's beginning.
 */
export class GetStatement extends Query<HeldStatement> {
  constructor(
    readonly partnerId: string,
    readonly month: Month,
  ) {
    super();
  }
}

@QueryHandler(GetStatement)
export class GetStatementHandler implements IQueryHandler<GetStatement> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly partners: RegisteredPartners,
    private readonly statements: Statements,
    private readonly clock: Clock,
    private readonly options: IssuerOptions,
    private readonly logIndex: LogIndex,
  ) {}

  async execute({ partnerId, month }: GetStatement): Promise<HeldStatement> {
    const partner = await this.partners.get(partnerId);
    const now = this.clock.iso();
    if (month.from > now) throw new StatementRejection('statement_unknown');
    const { wallet, ledger } = streamsOfStatement(partner);
    await this.readModels.waitForStream(ledger, [ledgerPeriodProjection]);
    await this.readModels.waitForStream(wallet, [walletEntryProjection]);
    // Balances and movements must come from the same snapshot, because entries may be written in between.
    return await readSnapshot(this.pool, async (snapshot) => {
      const period = (await closedPeriod(snapshot, partner.mode, month.name)) ?? (await this.present(snapshot, now));
      return await this.statements.of(snapshot, partner, month, period);
    });
  }

  private async present(snapshot: Snapshot, now: string): Promise<OpenPeriod> {
    const index = await this.logIndex.at(snapshot, await computedUpTo(snapshot, [walletEntryProjection.name]));
    return { issuer: this.options.issuer, recorded_at: now, index, prefix: null, position: null };
  }
}
