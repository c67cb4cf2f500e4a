import { type Dated, type Decider } from '../../../platform/event-sourcing/decider.js';
import { type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type AdminAuditEvent, type Administrator, type RecordedAdminCall } from './admin-audit-events.js';

/** A call as its events record it, without their date. */
export type AuditedCall = Omit<RecordedAdminCall, 'recorded_at'>;

export type AdminAuditCommand = Dated &
  ({ readonly kind: 'begin'; readonly call: AuditedCall } | { readonly kind: 'end'; readonly call: AuditedCall; readonly status: number });

/** Records every command. The audit trail has no rules and no state. */
export const adminAuditDecider: Decider<null, AdminAuditCommand, AdminAuditEvent> = {
  initialState: null,
  decide: (command) => [
    command.kind === 'begin'
      ? { type: 'AdminCallBegun', data: { recorded_at: command.at, ...command.call } }
      : { type: 'AdminCallEnded', data: { recorded_at: command.at, ...command.call, status: command.status } },
  ],
  evolve: (state) => state,
};

const ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** Replaces each parameter that does not look like an id with `?`, because it could be personal data. */
export function redactNonIds(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, typeof value === 'string' && ID.test(value) ? value : '?']),
  );
}

const OUR_ID = /^(?:rp-[a-z0-9-]{1,61}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Returns the parameters of a call that only read, by its HTTP status. What was searched for and not found may be a name, a BVN or a phone
 * number. A call that was refused does not tell whether anything has that id, so only ids in the form of ours are kept.
 * @param isForeign whether something else wrote a stream, which may then have any name, such as a person's
 */
export function parametersFound(
  parameters: Readonly<Record<string, unknown>>,
  status: number,
  isForeign: (stream: string) => boolean = () => false,
): Readonly<Record<string, string>> {
  const { stream } = parameters;
  const kept = redactNonIds(typeof stream === 'string' && isForeign(stream) ? { ...parameters, stream: undefined } : parameters);
  if (status < 400) return kept;
  const isKept = (value: string): boolean => status !== 404 && OUR_ID.test(value);
  return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, isKept(value) ? value : '?']));
}

/** Returns who made a call, as events name an administrator: the role, and the name of the token or of the operating system's user. */
export function actorOfCall({ role, name }: Pick<Administrator, 'role' | 'name'>): string {
  return name === null ? role : `${role}:${name}`;
}

/** Returns the method and the route's template, or the name of a command. */
export function actionOf({ method, route }: Pick<RecordedAdminCall, 'method' | 'route'>): string {
  return method === 'RUN' ? route : `${method} ${route}`;
}

/** Returns the ids that a call names, such as a partner's; null if it names none. */
export function targetOf({ parameters }: Pick<RecordedAdminCall, 'parameters'>): string | null {
  return Object.values(parameters).join(' ') || null;
}

export const ADMIN_AUDIT_CATEGORY = 'admin_audit';

/** Returns the id of the stream of the day (UTC) of a date in ISO 8601. */
export function auditStreamId(at: string): string {
  return at.slice(0, 'yyyy-mm-dd'.length);
}

/** One stream per day (UTC). Streams are long and no event depends on an earlier one, so only the last event is read, for its revision. */
export const ADMIN_AUDIT_STREAMS: StreamKind<null, AdminAuditCommand, AdminAuditEvent> = {
  category: ADMIN_AUDIT_CATEGORY,
  decider: adminAuditDecider,
  chained: false,
  independent: true,
  maxCommandsPerAppend: 256,
  maxBytesPerAppend: 512 * 1024,
  cachedStates: 2,
  replayFrom: (last) => last.revision,
};
