import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Inject } from '@nestjs/common';
import { type Pool } from 'pg';
import { erasurePositionOf } from '../../../../projections/erased-farmer/erased-farmer.reader.js';
import { Erasures } from './erasures.js';
import { ApiError } from '../../../http/errors/api-error.js';
import { type RupaId } from '../../../http/validating/validation.js';
import { EventStore, HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { Clock } from '../../../kernel/clock.js';
import { FARMER_STREAMS, FarmerRejection } from '../domain/farmer.js';
import { isReservedForTests } from '../domain/test-farmers/test-farmer.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { farmerStreamOf } from '../domain/events.js';

/** Milliseconds to wait for the read models. They take longer only if one of them is faulted. */
const ERASURE_TIMEOUT_MS = 10_000;

/**
 * Erases a farmer and completes once their personal data is unreadable. Repeating it changes nothing. Raises Rejection `farmer_unknown` if
 * the id was never registered.
 */
export class EraseFarmer extends Command<void> {
  constructor(
    readonly rupaId: RupaId,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(EraseFarmer)
export class EraseFarmerHandler implements ICommandHandler<EraseFarmer> {
  constructor(
    private readonly streams: Streams,
    private readonly eventStore: EventStore,
    private readonly erasures: Erasures,
    private readonly clock: Clock,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async execute({ rupaId, actor }: EraseFarmer): Promise<void> {
    const position = await this.erase(rupaId, actor).catch((error: unknown) => this.eraseDespite(error, rupaId, actor));
    const complete = await this.erasures.complete([rupaId], position, AbortSignal.timeout(ERASURE_TIMEOUT_MS));
    if (!complete)
      throw new ApiError('unavailable', {
        message: 'The erasure is recorded and continues in the background. Send the same request again to check that it has completed.',
      });
  }

  /** Returns the position of the farmer's erasure in the log. */
  private async erase(rupaId: string, actor: string): Promise<bigint> {
    await this.streams.of(FARMER_STREAMS).execute(rupaId, { kind: 'erase', rupa_id: rupaId, at: this.clock.iso(), actor });
    // No event follows FarmerErased, so a repeated call finds its position here, too.
    const erased = await this.eventStore.lastEvent(farmerStreamOf(rupaId));
    if (erased?.type !== 'FarmerErased') throw new Error('The last event of an erased farmer is not FarmerErased.');
    return erased.position;
  }

  /**
   * Records the erasure of a farmer whose history is missing (evidence, "History that is missing"). The read model of erased farmers knows
   * whether it was recorded before.
   */
  private async eraseDespite(error: unknown, rupaId: string, actor: string): Promise<bigint> {
    if (!(error instanceof HistoryMissing)) throw error;
    if (isReservedForTests(rupaId)) throw new FarmerRejection('test_farmer');
    const known = await erasurePositionOf(this.pool, rupaId);
    if (known !== undefined) return known;
    const data = { rupa_id: rupaId, recorded_at: this.clock.iso(), actor };
    return await this.streams.of(FARMER_STREAMS).appendUnread(rupaId, { type: 'FarmerErased', data }, error);
  }
}
