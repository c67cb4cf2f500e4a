import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { type AdministratorsCall, type AdminAuditEvent } from './events.js';

export type AdminAuditCommand =
  | { readonly kind: 'begin'; readonly call: AdministratorsCall }
  | { readonly kind: 'end'; readonly call: AdministratorsCall; readonly status: number };

/** Whatever is told is recorded. */
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

/** Ids as they are; what is no id could be anything, and is not kept. */
export function recordable(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, typeof value === 'string' && ID.test(value) ? value : '?']),
  );
}
