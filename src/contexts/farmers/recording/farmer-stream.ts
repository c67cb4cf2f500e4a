import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type FarmerEvent } from '../domain/events.js';
import { type FarmerCommand, farmerDecider, type FarmerState } from '../domain/farmer.js';

@Injectable()
export class FarmerStream extends StreamWriter<FarmerState, FarmerCommand, FarmerEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'farmer', decider: farmerDecider });
  }
}
