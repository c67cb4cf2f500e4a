import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Invocation } from '../../cli/runtime.js';
import { ADMIN_AUDIT_STREAMS, type AdminAuditCommand, auditStreamId } from '../../contexts/evidence/domain/admin-audit.js';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { type DataKeys } from '../../platform/key-store/data-keys.js';
import { inRequest } from '../../platform/tracing/request-context.js';
import { eventCatalogue } from '../../stores/event-catalogue.js';
import { createStoreClients } from '../../stores/store-clients.js';
import { type StoreAddresses } from '../../stores/stores.js';
import { StreamWriter } from '../../platform/event-sourcing/writing/stream-writer.js';
import { type Administrator } from '../../contexts/evidence/domain/admin-audit-events.js';
import { AdminTokens } from '../../http/authenticating/admin-tokens.js';
import { type Settings } from '../../settings/declaration.js';
import { maintenanceInForce, unlessMissing } from '../../contexts/maintenance/recorded-maintenance.js';
import { maintenanceMessage } from '../../http/limiting/maintenance-mode.js';

/** The person who runs a command. */
export type Operator = Administrator & { readonly role: 'admin' | 'cli' };

/**
 * Returns the holder of RUPA_TOKEN, or without one the name that the environment says, which identifies nobody.
 * @throws Error if no administrator has that token
 */
export function operatorOf({ actor, token }: Pick<Settings, 'actor' | 'token'>, stores: StoreAddresses): Operator {
  if (token === undefined) return { role: 'cli', name: actor, fingerprint: null };
  const holder = new AdminTokens({ admin: stores.adminToken, auditor: stores.auditorToken }).holder(token);
  if (holder?.role !== 'admin')
    throw new Error('RUPA_TOKEN is wrong: it is no token of ADMIN_TOKEN. Set it to the token alone, without its name, or unset it.');
  return { ...holder, role: 'admin' };
}

/**
 * Runs an audited command's work between two entries of the audit trail. The work does not run if the first entry cannot be written.
 * @param operator whom the events of the work record as their actor, too
 */
export async function audited<T>(
  { route, parameters }: Invocation,
  { stores, operator, work }: { readonly stores: StoreAddresses; readonly operator: Operator; readonly work: () => Promise<T> },
): Promise<T> {
  const call = {
    call_id: randomUUID(),
    route,
    parameters,
    ...operator,
    address: null,
    method: 'RUN',
  } as const;
  const now = (): string => new Date().toISOString();
  return await inRequest({ correlationId: randomUUID(), host: hostname() }, async () => {
    await append(stores, { kind: 'begin', at: now(), call });
    let status = 1;
    try {
      const result = await work();
      status = 0;
      return result;
    } finally {
      await append(stores, { kind: 'end', at: now(), call, status });
    }
  });
}

/**
 * Appends with its own clients, which exist only before and after those of the command: a thread must not have two event store clients at a time
 * (docs/adr/0003).
 */
async function append(stores: StoreAddresses, command: AdminAuditCommand): Promise<void> {
  const { eventStore, compareClocks, close } = createStoreClients(stores, { poolSize: 1 });
  try {
    await compareClocks();
    // Nothing in the audit trail is encrypted, so the codec never asks for a key.
    const trail = new StreamWriter(eventStore, new Codec(eventCatalogue, {} as DataKeys), ADMIN_AUDIT_STREAMS);
    await trail.execute(auditStreamId(command.at), command);
  } finally {
    await close();
  }
}

/**
 * Refuses a command that changes something while maintenance is in force. The clients are closed before the command opens its own
 * (docs/adr/0003).
 * @throws Error that says how to end it
 */
export async function refuseCommandInMaintenance(stores: StoreAddresses): Promise<void> {
  const { eventStore, close } = createStoreClients(stores, { poolSize: 1 });
  try {
    // The events of maintenance have no personal fields, so the codec never asks for a key.
    const found = await unlessMissing(maintenanceInForce(eventStore, new Codec(eventCatalogue, {} as DataKeys), new Date()));
    if (found) throw new Error(`${maintenanceMessage(found)}\nTo end it, run: rupa maintenance off`);
  } finally {
    await close();
  }
}
