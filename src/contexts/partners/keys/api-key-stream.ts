import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type ApiKeyCommand, apiKeyDecider, type ApiKeyState } from '../domain/api-key.js';
import { type ApiKeyEvent } from '../domain/api-key-events.js';

@Injectable()
export class ApiKeyStream extends StreamWriter<ApiKeyState, ApiKeyCommand, ApiKeyEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'apikey', decider: apiKeyDecider });
  }
}
