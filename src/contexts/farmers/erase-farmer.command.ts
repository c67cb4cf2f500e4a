import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Erasures } from '../erasing/public.js';
import { ApiError } from '../../http/api-error.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { Clock } from '../../kernel/clock.js';
import { FarmerStream } from './farmer-stream.js';

/** Milliseconds to wait for the read models. They take longer only if one of them is faulted. */
const ERASURE_TIMEOUT_MS = 10_000;

/**
 * Erases a farmer and completes once their personal data is unreadable. Repeating it changes nothing. Raises Rejection `farmer_unknown` if
 * the id was never registered.
 */
export class EraseFarmer extends Command<void> {
  constructor(
    readonly rupaId: string,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(EraseFarmer)
export class EraseFarmerHandler implements ICommandHandler<EraseFarmer> {
  constructor(
    private readonly stream: FarmerStream,
    private readonly eventStore: EventStore,
    private readonly erasures: Erasures,
    private readonly clock: Clock,
  ) {}

  async execute({ rupaId, actor }: EraseFarmer): Promise<void> {
    await this.stream.execute(rupaId, { kind: 'erase', rupa_id: rupaId, at: this.clock.iso(), actor });
    // No event follows FarmerErased, so a repeated call finds its position here, too.
    const erased = await this.eventStore.lastEvent(`farmer-${rupaId}`);
    if (erased?.type !== 'FarmerErased') throw new Error('The last event of an erased farmer is not FarmerErased.');
    const complete = await this.erasures.complete([rupaId], erased.position, AbortSignal.timeout(ERASURE_TIMEOUT_MS));
    if (!complete)
      throw new ApiError('unavailable', {
        message: 'The erasure is recorded and continues in the background. Send the same request again to check that it has completed.',
      });
  }
}
