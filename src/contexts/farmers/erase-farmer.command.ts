import { ServiceUnavailableException } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Erasures } from '../erasing/public.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { Clock } from '../../kernel/clock.js';
import { FarmerStream } from './farmer-stream.js';

/** Longer than the read models ever take, unless one is faulted. */
const GONE_TIMEOUT_MS = 10_000;

/** Erases a farmer, and ends once nobody can read anything of theirs; the same again changes nothing. Raises Rejection `farmer_unknown`. */
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
    // Nothing ever follows it, so that also the second call knows what must be shown.
    const erased = await this.eventStore.lastEvent(`farmer-${rupaId}`);
    if (erased?.type !== 'FarmerErased') throw new Error('An erasure is not the last event of its farmer.');
    const gone = await this.erasures.complete([rupaId], erased.position, AbortSignal.timeout(GONE_TIMEOUT_MS));
    if (!gone)
      throw new ServiceUnavailableException('The erasure is recorded and goes on by itself. Send the same request again to see it done.');
  }
}
