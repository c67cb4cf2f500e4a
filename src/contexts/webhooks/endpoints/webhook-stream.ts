import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type WebhookEvent } from '../domain/events.js';
import { type WebhookCommand, webhookDecider, type WebhookState } from '../domain/webhook.js';

/** Writes the streams of webhook endpoints, one per endpoint. */
@Injectable()
export class WebhookStream extends StreamWriter<WebhookState, WebhookCommand, WebhookEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'webhook', decider: webhookDecider });
  }
}
