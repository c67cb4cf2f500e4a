import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { type RecordedAdminCall, type AdminAuditEvent } from './events.js';

export type AdminAuditCommand =
  | { readonly kind: 'begin'; readonly call: RecordedAdminCall }
  | { readonly kind: 'end'; readonly call: RecordedAdminCall; readonly status: number };

/** Records every command. The audit trail has no rules and no state. */
export const adminAuditDecider: Decider<null, AdminAuditCommand, AdminAuditEvent> = {
  initialState: null,
  decide: (command) => [
    command.kind === 'begin'
      ? { type: 'AdminCallBegun', data: command.call }
      : { type: 'AdminCallEnded', data: { ...command.call, status: command.status } },
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
