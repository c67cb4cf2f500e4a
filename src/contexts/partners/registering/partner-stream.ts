import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type PartnerEvent } from '../domain/events.js';
import { type PartnerCommand, partnerDecider, type PartnerState } from '../domain/partner.js';

@Injectable()
export class PartnerStream extends StreamWriter<PartnerState, PartnerCommand, PartnerEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'partner', decider: partnerDecider });
  }
}
