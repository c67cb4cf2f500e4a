import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type SandboxEventTriggered } from '../domain/events.js';
import { sandboxEventDecider, type TriggerSandboxEvent } from '../domain/sandbox-event.js';

/** One stream per notification that a partner asked for in the sandbox, named by the notification. */
@Injectable()
export class SandboxEventStream extends StreamWriter<{ readonly isTriggered: boolean }, TriggerSandboxEvent, SandboxEventTriggered> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'sandbox_event', usuallyNew: true, decider: sandboxEventDecider });
  }
}
