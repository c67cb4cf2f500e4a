import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler, type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { thresholdOf } from '../../../projections/low-balance-threshold/low-balance-threshold.reader.js';
import { Clock } from '../../kernel/clock.js';
import { toKobo } from '../../kernel/money.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { type LowBalanceDto } from './registering/partners.dto.js';
import { PARTNER_STREAMS } from './domain/partner.js';
import { Streams } from '../../platform/event-sourcing/writing/stream-writer.js';

/** Sets the balance below which a partner is notified. Raises NotYetInForce if the change is recorded, but not shown in time. */
export class SetLowBalanceThreshold extends Command<void> {
  constructor(
    readonly partnerId: string,
    readonly threshold: LowBalanceDto,
    readonly actor: string,
  ) {
    super();
  }
}

/** Returns a partner's threshold in integer kobo; null for none. */
export class GetLowBalanceThreshold extends Query<number | null> {
  constructor(readonly partnerId: string) {
    super();
  }
}

@CommandHandler(SetLowBalanceThreshold)
export class SetLowBalanceThresholdHandler implements ICommandHandler<SetLowBalanceThreshold> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, threshold: { amount }, actor }: SetLowBalanceThreshold): Promise<void> {
    const change = { kind: 'change-low-balance-threshold' as const, threshold_kobo: amount === null ? null : toKobo(amount) };
    const committed = await this.streams
      .of(PARTNER_STREAMS)
      .execute(partnerId, { ...change, partner_id: partnerId, at: this.clock.iso(), actor });
    await this.readModels.waitUntilInForce(committed, { stream: `partner-${partnerId}`, readModel: 'low_balance_threshold' });
  }
}

@QueryHandler(GetLowBalanceThreshold)
export class GetLowBalanceThresholdHandler implements IQueryHandler<GetLowBalanceThreshold> {
  constructor(@Inject(FREE_CALLS_POOL) private readonly pool: Pool) {}

  async execute({ partnerId }: GetLowBalanceThreshold): Promise<number | null> {
    return await thresholdOf(this.pool, partnerId);
  }
}
