import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type RupaId } from '../../../http/validating/validation.js';
import { Clock } from '../../../kernel/clock.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { type FarmerFields, recordOf } from './farmer-record.dto.js';
import { FARMER_STREAMS } from '../domain/farmer.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { farmerStreamOf } from '../domain/events.js';

export interface RecordedFarmer {
  /** False if the farmer was already registered. */
  readonly created: boolean;
  readonly changed: boolean;
}

/** Registers a farmer or updates the parts that are sent. Raises Rejection `farmer_erased` or `farmer_mode_fixed`, and NotYetInForce. */
export class RecordFarmer extends Command<RecordedFarmer> {
  constructor(
    readonly rupaId: RupaId,
    readonly farmer: FarmerFields,
    readonly actor: string,
    /**
     * Set by a caller that records many farmers and waits for the read models once, at the end. `isNew` says that the farmer is most
     * likely not registered yet, so that the stream need not be read first.
     */
    readonly bulk?: { readonly isNew: boolean },
  ) {
    super();
  }
}

@CommandHandler(RecordFarmer)
export class RecordFarmerHandler implements ICommandHandler<RecordFarmer> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ rupaId, farmer, actor, bulk }: RecordFarmer): Promise<RecordedFarmer> {
    const mode = farmer.mode ?? undefined;
    const command = { kind: 'put' as const, rupa_id: rupaId, mode, record: recordOf(farmer), at: this.clock.iso(), actor };
    const committed = await this.streams
      .of(FARMER_STREAMS)
      .execute(rupaId, command, { ...(mode ? { mode } : {}), isFirst: bulk?.isNew ?? false });
    if (!bulk) await this.readModels.waitUntilInForce(committed, { stream: farmerStreamOf(rupaId), readModel: 'farmer_profile' });
    return { created: committed.events[0]?.type === 'FarmerRegistered', changed: committed.events.length > 0 };
  }
}
