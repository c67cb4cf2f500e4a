import { type INestApplicationContext } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Streams } from '../../platform/event-sourcing/writing/streams.js';
import { APPROVAL_LIMIT_ID, APPROVAL_LIMIT_STREAMS } from './domain/approval-limit.js';

/**
 * Records the amount above which a second person is needed if it is another than the one in force, so that every process obeys it and the
 * evidence shows the change. The API that starts last decides.
 * @param limit_kobo integer kobo; null if nothing needs a second person
 */
export async function recordApprovalLimit(app: INestApplicationContext, limit_kobo: number | null): Promise<void> {
  const set = { limit_kobo, at: app.get(Clock).iso(), actor: 'service' };
  await app.get(Streams).of(APPROVAL_LIMIT_STREAMS).execute(APPROVAL_LIMIT_ID, set);
}
