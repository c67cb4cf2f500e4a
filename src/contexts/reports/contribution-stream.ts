import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../platform/event-sourcing/writing/stream-writer.js';
import { contributionDecider, type ContributionState, type Report } from './domain/contribution.js';
import { type ContributionEvent } from './domain/events.js';

/** One stream per contribution, named by its partner and its hashed reference. */
@Injectable()
export class ContributionStream extends StreamWriter<ContributionState, Report, ContributionEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'contribution', usuallyNew: true, decider: contributionDecider });
  }
}
