import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { asRecorded } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { ADMIN_AUDIT_CATEGORY } from './admin-audit-stream.js';
import { type AdminAuditEvent, type AdministratorsCall } from './domain/events.js';

/** One call; `status` is null while it runs, and for good where the process ended before it did. */
export interface AdminAuditEntry extends AdministratorsCall {
  readonly status: number | null;
  readonly correlation_id: string;
}

/** Calls in the order in which they began, day by day (UTC), both days included. */
export class GetAdminAudit extends Query<AdminAuditEntry[]> {
  constructor(
    readonly from: string,
    readonly to: string,
  ) {
    super();
  }
}

const DAY_MS = 86_400_000;

@QueryHandler(GetAdminAudit)
export class GetAdminAuditHandler implements IQueryHandler<GetAdminAudit> {
  constructor(private readonly eventStore: EventStore) {}

  async execute({ from, to }: GetAdminAudit): Promise<AdminAuditEntry[]> {
    const found = new Map<string, AdminAuditEntry>();
    // A call that begins before midnight may end after it.
    for (let day = Date.parse(from); day <= Date.parse(to) + DAY_MS; day += DAY_MS) {
      const late = day > Date.parse(to);
      for await (const page of this.eventStore.streamPages(`${ADMIN_AUDIT_CATEGORY}-${new Date(day).toISOString().slice(0, 10)}`)) {
        for (const stored of page) {
          const correlation_id = stored.metadata.$correlationId;
          const entry = entryAfter(found.get(correlation_id), asRecorded<AdminAuditEvent>(stored), correlation_id);
          if (found.has(correlation_id) || !late) found.set(correlation_id, entry);
        }
      }
    }
    return [...found.values()];
  }
}

/** A call that changed nothing has no beginning: its end alone is recorded. */
function entryAfter(begun: AdminAuditEntry | undefined, event: AdminAuditEvent, correlation_id: string): AdminAuditEntry {
  switch (event.type) {
    case 'AdminCallBegun':
      return begun ?? { ...event.data, status: null, correlation_id };
    case 'AdminCallEnded':
      return { ...(begun ?? event.data), status: event.data.status, correlation_id };
  }
}
