import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Invocation } from '../../cli/runtime.js';
import { ADMIN_AUDIT_STREAMS, type AdminAuditCommand, auditStreamId } from '../../contexts/evidence/domain/admin-audit.js';
import { type Operator } from './operator.js';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { type DataKeys } from '../../platform/key-store/data-keys.js';
import { inRequest } from '../../platform/tracing/request-context.js';
import { eventCatalogue } from '../../stores/event-catalogue.js';
import { createStoreClients } from '../../stores/store-clients.js';
import { type StoreAddresses } from '../../stores/stores.js';
import { StreamWriter } from '../../platform/event-sourcing/writing/stream-writer.js';

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
