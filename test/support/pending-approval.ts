import { randomUUID } from 'node:crypto';
import { APPROVAL_STREAMS } from '../../src/contexts/approvals/domain/approval.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { codecWithoutKeys } from './service-log.js';

/** Writes the request of a credit to the log, as the service does for a call above the limit. Returns the approval's id. */
export async function requestCredit(eventStore: EventStore, partner_id: string): Promise<string> {
  const [approval_id, reference] = [randomUUID(), randomUUID()];
  await new StreamWriter(eventStore, codecWithoutKeys(), APPROVAL_STREAMS).execute(approval_id, {
    kind: 'request',
    approval_id,
    request: {
      kind: 'credit',
      mode: 'live',
      partner_id,
      amount_kobo: 5_00,
      reference,
      call: { partner_id, amount: 5, reference },
    },
    at: new Date().toISOString(),
    actor: 'admin:requester',
  });
  return approval_id;
}
