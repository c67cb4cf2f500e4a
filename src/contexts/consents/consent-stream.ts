import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../platform/event-sourcing/writing/stream-writer.js';
import { consentDecider, type ConsentState, type ReleaseConsent } from './domain/consent.js';
import { type ConsentEvent } from './domain/events.js';

/** One stream per partner and farmer. */
@Injectable()
export class ConsentStream extends StreamWriter<ConsentState, ReleaseConsent, ConsentEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'consent', decider: consentDecider });
  }
}
