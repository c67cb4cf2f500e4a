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
    const trail = new Trail();
    // A call that begins before midnight may end after it.
    for (let day = Date.parse(from); day <= Date.parse(to) + DAY_MS; day += DAY_MS) {
      const isAfterRange = day > Date.parse(to);
      for await (const page of this.eventStore.streamPages(`${ADMIN_AUDIT_CATEGORY}-${new Date(day).toISOString().slice(0, 10)}`)) {
        for (const stored of page) trail.add(asRecorded<AdminAuditEvent>(stored), stored.metadata.$correlationId, isAfterRange);
      }
    }
    return trail.entries;
  }
}

/** Joins the events of each call into one entry. No call takes the entry of another, whatever request id it was sent with. */
class Trail {
  readonly entries: AdminAuditEntry[] = [];
  /** Indexes of the entries whose end is not found yet, by call id. */
  private readonly open = new Map<string, number>();

  /** @param endsOnly the event is of the day after the range: it may end a call, and it begins none that was asked for. */
  add({ type, data }: AdminAuditEvent, correlation_id: string, endsOnly: boolean): void {
    const id = data.call_id ?? correlation_id;
    const begun = this.open.get(id);
    if (type === 'AdminCallBegun') {
      if (endsOnly) return;
      this.open.set(id, this.entries.length);
      this.entries.push({ ...data, status: null, correlation_id });
    } else if (begun !== undefined) {
      this.open.delete(id);
      this.entries[begun] = { ...(this.entries[begun] as AdminAuditEntry), status: data.status };
    } else if (!endsOnly) {
      // A call that changed nothing has no beginning: only its end is recorded.
      this.entries.push({ ...data, correlation_id });
    }
  }
}
