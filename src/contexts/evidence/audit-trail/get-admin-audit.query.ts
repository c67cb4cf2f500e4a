import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { asRecorded } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type AdminAuditEvent, type RecordedAdminCall } from '../domain/admin-audit-events.js';
import { ADMIN_AUDIT_CATEGORY } from '../domain/admin-audit.js';

/** A call. `status` is null while the call runs, and stays null if the process ended first. */
export interface AdminAuditEntry extends RecordedAdminCall {
  readonly status: number | null;
  readonly correlation_id: string;
}

/** Returns the calls from one day to another (UTC), both included, in the order in which they began. */
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
    // A call that began on the last day may end after midnight, so the next day is read, too.
    for (let day = Date.parse(from); day <= Date.parse(to) + DAY_MS; day += DAY_MS) {
      const isAfterRange = day > Date.parse(to);
      for await (const page of this.eventStore.streamPages(`${ADMIN_AUDIT_CATEGORY}-${new Date(day).toISOString().slice(0, 10)}`)) {
        for (const stored of page) trail.add(asRecorded<AdminAuditEvent>(stored), stored.metadata.$correlationId, isAfterRange);
      }
    }
    return trail.entries;
  }
}

/** Joins the events of each call into one entry. Calls with the same request id have entries of their own. */
class Trail {
  readonly entries: AdminAuditEntry[] = [];
  /** Indexes of the entries without an end so far, by call id. */
  private readonly open = new Map<string, number>();

  /** @param endsOnly True for events of the day after the range, which can only end calls that began in the range. */
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
      // A call that changed nothing has no AdminCallBegun event.
      this.entries.push({ ...data, correlation_id });
    }
  }
}
