import { Injectable } from '@nestjs/common';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type AdminAuditCommand, adminAuditDecider } from '../domain/admin-audit.js';
import { type AdminAuditEvent } from '../domain/admin-audit-events.js';

export const ADMIN_AUDIT_CATEGORY = 'admin_audit';

/** One stream per day (UTC). Streams are long and no event depends on an earlier one, so only the last event is read, for its revision. */
@Injectable()
export class AdminAuditStream extends StreamWriter<null, AdminAuditCommand, AdminAuditEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, {
      category: ADMIN_AUDIT_CATEGORY,
      decider: adminAuditDecider,
      chained: false,
      independent: true,
      maxCommandsPerAppend: 256,
      maxBytesPerAppend: 512 * 1024,
      cachedStates: 2,
      replayFrom: (last) => last.revision,
    });
  }
}
