import { type Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { AdminAuditStream } from '../contexts/admin-audit/admin-audit-stream.js';
import { type AdminAuditCommand, recordable } from '../contexts/admin-audit/domain/admin-audit.js';
import { type AdministratorsCall } from '../contexts/admin-audit/domain/events.js';
import { eventCatalogue } from '../app/event-catalogue.js';
import { Codec } from '../platform/event-sourcing/codec.js';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { inRequest } from '../platform/tracing/request-context.js';
import { type DataKeys } from '../platform/key-store/data-keys.js';

/** Commands that change nothing in the log; any other command is recorded. `events copy` is here because a copy must end with the last event of the original. */
const UNRECORDED = [
  /^partners list$/,
  /^farmers report$/,
  /^prices history$/,
  /^ledger /,
  /^wallet /,
  /^projections (status|verify)$/,
  /^keys status$/,
  /^audit /,
  /^events (tail|copy)$/,
  /^doctor$/,
];
/** Arguments that are ids. Others may be names, amounts or files. */
const IDS = ['partner', 'rupa-id', 'id', 'name'];

let running: Pick<AdministratorsCall, 'route' | 'parameters'> | undefined;

/** Notes which command runs; to be called before it does. */
export function noteCommand(command: Command): void {
  const route = nameOf(command);
  const given = command.registeredArguments.map((argument, place): [string, unknown] => [argument.name(), command.processedArgs[place]]);
  const parameters = recordable(Object.fromEntries(given.filter(([name, value]) => IDS.includes(name) && value !== undefined)));
  running = UNRECORDED.some((pattern) => pattern.test(route)) ? undefined : { route: `rupa ${route}`, parameters };
}

/** Runs what may change something between two entries of the audit trail; without the first it does not run. */
export async function recorded<T>(eventStoreUrl: string, work: () => Promise<T>): Promise<T> {
  if (!running) return await work();
  const call = { ...running, role: 'cli', name: operator(), fingerprint: null, address: null, method: 'RUN' } as const;
  const correlationId = randomUUID();
  const now = (): string => new Date().toISOString();
  await append(eventStoreUrl, { kind: 'begin', call: { recorded_at: now(), ...call } }, correlationId);
  let status = 1;
  try {
    const result = await inRequest({ correlationId }, work);
    status = 0;
    return result;
  } finally {
    await append(eventStoreUrl, { kind: 'end', call: { recorded_at: now(), ...call }, status }, correlationId);
  }
}

/** With a client of its own, before and after the command's: never two at a time (docs/adr/0003). */
async function append(eventStoreUrl: string, command: AdminAuditCommand, correlationId: string): Promise<void> {
  const eventStore = new EventStore(eventStoreUrl);
  try {
    // Nothing in the audit trail is sealed: no key is ever asked for.
    await new AdminAuditStream(eventStore, new Codec(eventCatalogue, {} as DataKeys)).execute(
      command.call.recorded_at.slice(0, 10),
      command,
      {
        correlationId,
      },
    );
  } finally {
    await eventStore.close();
  }
}

function nameOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}

/** The operating system's user; one without an entry in its list is told by number. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}
