import { randomUUID } from 'node:crypto';
import { type ProposedEvent } from '../../../embedded/event-store/serving/wire.js';

/** Returns an event as a writer sends it to the embedded event store. */
export const proposedEvent = (over: Partial<ProposedEvent> = {}): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from('Noted'),
  contentType: Buffer.from('application/json'),
  data: Buffer.from('{}'),
  customMetadata: Buffer.alloc(0),
  ...over,
});
