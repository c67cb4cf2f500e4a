import { defineEntity } from '@mikro-orm/core';
import { actionOf, actorOfCall, targetOf } from '../../src/contexts/evidence/domain/admin-audit.js';
import { type AdminAuditEvent, type Administrator } from '../../src/contexts/evidence/domain/admin-audit-events.js';
import { type RecordedEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { projection } from '../../src/platform/projecting/projection.js';
import { column, expressionIndex, type RowOf } from '../columns.js';

/** Returns the SQL of the first word of an action: the HTTP method, or the program on the command line. */
export function methodOf(action: string): string {
  return `split_part(${action}, ' ', 1)`;
}

const table = defineEntity({
  name: 'admin_call',
  tableName: 'admin_call',
  properties: {
    entry_id: column.text().primary(),
    /** Position in $all of the call's first event, by which the calls are ordered. */
    position: column.position(),
    at: column.time(),
    actor: column.text(),
    role: column.text<Administrator['role']>(),
    fingerprint: column.text().nullable(),
    action: column.text(),
    target: column.text().nullable(),
    /** HTTP or exit status; null while the call runs, and for good if its process ended first. */
    status: column.integer().nullable(),
    request_id: column.text(),
    address: column.text().nullable(),
    /** Why the caller read personal data; null for calls without a reason. */
    reason: column.text().nullable(),
  },
  // A page of the trail is the newest calls with one of these values. Administrators call rarely, so the indexes cost little.
  indexes: [
    { properties: ['position'] },
    { properties: ['actor', 'position'] },
    { properties: ['role', 'position'] },
    { properties: ['fingerprint', 'position'] },
    { properties: ['action', 'position'] },
    { properties: ['at', 'position'] },
    expressionIndex('method', `(${methodOf('action')}, position)`),
  ],
});

export type AdminCallRow = RowOf<typeof table>;

type AuditEvent = RecordedEvent<AdminAuditEvent>;

/**
 * Events of earlier releases name no call, and callers may repeat a request id, so the start and the end of such a call cannot be paired for
 * sure. Each becomes an entry of its own: the trail then lists a call twice, and never hides one.
 */
const entryIdOf = ({ id, data: { call_id } }: AuditEvent): string => call_id ?? id;

const keys = (event: AuditEvent) => [{ entry_id: entryIdOf(event) }];

function rowOf(event: AuditEvent, status: number | null): AdminCallRow {
  const { data, metadata, position } = event;
  return {
    entry_id: entryIdOf(event),
    position: position.toString(),
    at: data.recorded_at,
    actor: actorOfCall(data),
    role: data.role,
    fingerprint: data.fingerprint,
    action: actionOf(data),
    target: targetOf(data),
    status,
    request_id: metadata.$correlationId,
    address: data.address,
    reason: data.reason ?? null,
  };
}

/** The audit trail by call, which administrators and auditors page through. */
export const adminCallProjection = projection<AdminCallRow, AdminAuditEvent>({
  name: 'admin_call',
  version: 4,
  table,
  handlers: {
    AdminCallBegun: { creates: true, keys, apply: (_row, event) => rowOf(event, null) },
    // A call that only reads has no AdminCallBegun.
    AdminCallEnded: { keys, apply: (row, event) => (row ? { ...row, status: event.data.status } : rowOf(event, event.data.status)) },
  },
});
